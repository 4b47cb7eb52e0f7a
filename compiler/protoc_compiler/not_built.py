"""What the language names but this version does not do: each is refused, nothing is accepted and ignored."""

from __future__ import annotations

KEYS: dict[str, tuple[str, ...]] = {
    "procedure": ("target", "providers", "visibility", "adjudication", "outputs"),
    "procedure.subject": (
        "command", "http", "session", "directory", "sandbox", "events_allowed", "retry", "resume", "usage",
    ),
    "procedure.phases": (
        "enter", "owner", "ends", "once", "then", "records", "by", "blind_to", "order", "may change", "never",
    ),
    "data.splits": ("cases", "file", "sha256", "disjoint_from", "after", "status"),
}  # fmt: skip
TABLE_SOURCES = ("adjudication", "ledger", "manifest", "git", "seal", "receipt", "secret scan")
RECORD_SOURCES = ("ledger", "manifest", "git", "secret scan", "registry", "adjudication")
FREEZE_FORMS = ("digest of ", "from ", "copy of ", "revision of ")


def is_key(path: str, key: str) -> bool:
    """Whether `key` of the map at `path` is known to the language but not built."""
    return key in KEYS.get(path, ())


def is_source(source: str, sources: tuple[str, ...]) -> bool:
    """Whether a table's or record's `from:` is one that is not built; `ledger of X` counts as `ledger`."""
    return source in sources or (source.startswith("ledger of ") and "ledger" in sources)
