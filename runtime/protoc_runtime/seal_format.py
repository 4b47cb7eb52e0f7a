"""The seal: one in-toto Statement a line in `seal.jsonl` beside the protocol, each with the digest of the line before.

A seal pins what a verdict will rest on: the meaning and the text of the protocol, the generated package, every input
file, the subject's code, and of each split how many rows it has and their digests (so that a run can name what it is
about to read before it reads it).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protoc_runtime.canonical import NotCanonical, digest_bytes, dumps, loads
from protoc_runtime.record import check_types, record

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:evalprotoc:seal:1"


@record
class Pinned:
    """A file by its path (relative to the protocol's folder, with `/`), digest and size in bytes."""

    path: str
    sha256: str
    bytes: int


@record
class PinnedInput:
    """An input file. `rows`: how many rows of its table it holds. `content`: the digest of these rows in canonical
    form; `text`: that of a JSON Lines file without byte order mark and with plain line ends, else empty."""

    path: str
    sha256: str
    bytes: int
    table: str
    rows: int
    content: str
    text: str


@record
class PinnedSplit:
    """The rows of one split in the table of cases: their number, the digest of their content, that of their keys, that
    of their sketch (a file beside the registry; "" where there are no rows, or in an older seal)."""

    name: str
    rows: int
    content: str
    ids: str
    sketch: str = ""


@record
class PinnedAudit:
    """What two splits share, by cases of the first: keys, rows, texts, near-duplicate texts; how many different texts
    and rows were compared, by which measure, and how pairs of texts were chosen."""

    split: str
    other: str
    shared_ids: int
    shared_rows: int
    shared_texts: int
    near_duplicates: int
    texts: int
    other_texts: int
    rows: int
    other_rows: int
    measure: str
    method: str


@record
class PinnedPackage:
    """The generated package: every file with its digest; `sha256` is the digest that its `package.json` states."""

    name: str
    sha256: str
    files: Mapping[str, str]


@record
class Pins:
    """Everything that a seal pins. `spec` is the spec digest (`sha256:` and hex), `raw` the text of the protocol,
    `code` the subject's files and the frozen ones that are no inputs."""

    protocol: str
    version: int
    spec: str
    raw: Pinned
    package: PinnedPackage
    inputs: tuple[PinnedInput, ...]
    code: tuple[Pinned, ...]
    splits: tuple[PinnedSplit, ...]
    audits: tuple[PinnedAudit, ...] = ()  # of the splits that the protocol wants disjoint


@record
class Seal:
    """One seal. `digest` is that of its line; `time` is UTC and never before that of the seal before it (`wall` tells
    the clock where it was set back); `commit` and `clean` (were all pinned files in it?) are None outside of git.
    `drift`: of a protocol that means something else than the one before, what lets more pass and what had been read."""

    pins: Pins
    time: str
    wall: str | None
    commit: str | None
    clean: bool | None
    reason: str | None
    previous: str
    digest: str = ""
    drift: Mapping[str, Any] | None = None


def to_bytes(seal: Seal) -> bytes:
    """The line of a seal, without its newline."""
    return dumps(to_statement(seal))


def to_statement(seal: Seal) -> dict[str, Any]:
    """A seal as an in-toto Statement v1."""
    pins = seal.pins
    named = [(pins.raw.path, pins.raw.sha256), (f"{pins.protocol}/spec", pins.spec.removeprefix("sha256:"))]
    named += [(pins.package.name, pins.package.sha256)]
    named += [(pin.path, pin.sha256) for pin in pins.inputs]
    named += [(pin.path, pin.sha256) for pin in pins.code]
    git = None if seal.commit is None and seal.clean is None else {"commit": seal.commit, "clean": seal.clean}
    about = {"time": seal.time, "wall": seal.wall, "git": git, "reason": seal.reason, "previous": seal.previous}
    about |= {"drift": dict(seal.drift)} if seal.drift is not None else {}
    return {
        "_type": STATEMENT,
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in named],
        "predicateType": PREDICATE,
        "predicate": {**_plain(pins), **about},
    }


def from_bytes(raw: bytes) -> Seal:
    """The seal of one line. Raises ValueError if the line is not exactly what such a seal is written as."""
    try:
        statement = loads(raw)
        given = statement["predicate"]
        git = given["git"] or {"commit": None, "clean": None}
        pins = Pins(
            given["protocol"],
            given["version"],
            given["spec"],
            Pinned(**given["raw"]),
            PinnedPackage(**given["package"]),
            tuple(PinnedInput(**entry) for entry in given["inputs"]),
            tuple(Pinned(**entry) for entry in given["code"]),
            tuple(PinnedSplit(**entry) for entry in given["splits"]),
            tuple(PinnedAudit(**entry) for entry in given.get("audits", ())),
        )
        seal = Seal(
            pins, given["time"], given["wall"], git["commit"], git["clean"], given["reason"], given["previous"],
            digest_bytes(raw), given.get("drift"),
        )  # fmt: skip
        for part in (seal, pins, pins.raw, pins.package, *pins.inputs, *pins.code, *pins.splits, *pins.audits):
            check_types(part)
        same = to_bytes(seal) == raw and pins.package.sha256 == package_digest(pins.package.files)
    except NotCanonical:
        raise
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"it is no seal ({type(error).__name__}: {error})") from None
    if not same:
        raise ValueError("its parts do not agree with each other")
    return seal


def package_digest(files: Mapping[str, str]) -> str:
    """The digest of a generated package from those of its files: SHA-256 over the lines `path sha256:hex`, sorted by
    path, without `package.json`, which states it."""
    lines = (f"{path} sha256:{digest}\n" for path, digest in sorted(files.items()) if path != "package.json")
    return digest_bytes("".join(lines).encode())


_LATER = ("sketch", "audits")  # written only where there is something: older seals stay what they are


def _plain(value: Any) -> Any:
    fields = getattr(type(value), "__record_fields__", None)
    if fields is not None:
        made = {name: _plain(getattr(value, name)) for name in fields}
        return {name: part for name, part in made.items() if name not in _LATER or part}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
