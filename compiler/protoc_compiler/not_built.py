"""What the language names but this version does not do: each is refused, nothing is accepted and ignored."""

from __future__ import annotations

KEYS: dict[str, tuple[str, ...]] = {
    "procedure.phases": ("by", "blind_to", "order"),
    "data.splits": ("file", "sha256"),
}  # fmt: skip
_LEDGERS = ("ledger",)
TABLE_SOURCES = (*_LEDGERS, "git", "seal", "receipt", "secret scan")
RECORD_SOURCES = (*_LEDGERS, "registry", "adjudication")
FREEZE_FORMS = ("digest of ", "from ", "revision of ")


def is_key(path: str, key: str) -> bool:
    """Whether `key` of the map at `path` is known to the language but not built."""
    return key in KEYS.get(path, ())


def is_source(source: str, sources: tuple[str, ...]) -> bool:
    """Whether a table's or record's `from:` is one that is not built."""
    return source in sources


def is_observed(source: str) -> bool:
    """Whether nothing is known of what this source records, since it is not built."""
    return source in _LEDGERS
