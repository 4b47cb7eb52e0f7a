"""The bundle: its manifest, receipt, ledger and protocol, each against what the others say about it."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from protoc_compiler.emit.support.cells import Wrong, parse_json
from protoc_compiler.emit.support.values import Unworkable

OUTSIDE = ("manifest.json", "receipt.json", "RECEIPT.md", "signatures.jsonl")  # what a manifest does not list
GENESIS = "0" * 64


class Findings:
    """What was checked, what came out, what does not hold, and what cannot be told from this folder."""

    def __init__(self) -> None:
        self.checked: list[str] = []
        self.recomputed: list[str] = []
        self.broken: list[str] = []
        self.open: list[str] = []

    def expect(self, condition: bool, words: str) -> bool:
        """Note a fault unless the condition holds."""
        if not condition:
            self.broken.append(words)
        return condition


def sha256(data: bytes) -> str:
    """The digest of bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def hex_of(digest: Any) -> str:
    """A digest that may be written with its algorithm, as hex."""
    return str(digest).removeprefix("sha256:")


def plain_bytes(path: Path) -> bytes:
    """The bytes of a file that is no pipe or device, which might never end."""
    if not path.is_file():
        raise OSError(f"{path.name} is no plain file")
    return path.read_bytes()


def load(folder: Path, name: str, findings: Findings) -> Any:
    """A JSON file of the bundle, or None where it is missing or damaged."""
    try:
        found = parse_json(plain_bytes(folder / name).decode())
        if isinstance(found, (dict, list)):
            return found
        findings.broken.append(f"{name} is no JSON object")
    except OSError:
        findings.broken.append(f"{name} is missing or cannot be read")
    except (UnicodeDecodeError, Wrong, json.JSONDecodeError) as error:
        findings.broken.append(f"{name} is not JSON: {error}")
    return None


def check_manifest(folder: Path, findings: Findings, outside: set[str], prefix: str = "") -> None:
    """Every file of a stage has the size and digest that the manifest states, and there is no other but those that are
    `outside` of it; `prefix` stands before names in messages."""
    manifest = load(folder, "manifest.json", findings)
    listed = listed_files(manifest)
    if listed is None:
        if manifest is not None:
            findings.broken.append(f"{prefix}manifest.json does not list files")
        return
    unlisted = {*OUTSIDE, *outside}
    for name in sorted(unlisted):
        if (folder / name).is_symlink():
            findings.broken.append(f"{prefix}{name}: a link, not a file")
    present = set(files_below(folder)) - unlisted
    for name in sorted(listed.keys() - present):
        findings.broken.append(f"{prefix}{name}: in the manifest, but missing")
    for name in sorted(present - listed.keys()):
        findings.broken.append(f"{prefix}{name}: not in the manifest")
    for name in sorted(present & listed.keys()):
        path = folder / name
        if path.is_symlink():
            findings.broken.append(f"{prefix}{name}: a link, not a file")
        elif not path.is_file():
            findings.broken.append(f"{prefix}{name}: no plain file")
        elif sha256(path.read_bytes()) != hex_of(listed[name].get("sha256")):
            findings.broken.append(f"{prefix}{name}: changed, its digest is not the one in the manifest")
        elif path.stat().st_size != listed[name].get("bytes"):
            findings.broken.append(f"{prefix}{name}: its size is not the one in the manifest")
    findings.checked.append(
        f"{len(listed)} files against the manifest{f' of the stage {prefix[:-1]}' if prefix else ''}"
    )


def listed_files(manifest: Any) -> dict[str, dict[str, Any]] | None:
    """The entries of a manifest by path."""
    files = manifest.get("files") if isinstance(manifest, dict) else manifest
    if isinstance(files, list) and all(isinstance(item, dict) and "path" in item for item in files):
        files = {item["path"]: item for item in files}
    return files if isinstance(files, dict) and all(isinstance(item, dict) for item in files.values()) else None


def files_below(folder: Path) -> list[str]:
    """Every file below a folder, by its path with slashes; links to folders count as files."""
    found = []
    for top, folders, names in os.walk(folder, followlinks=False):
        links = [name for name in folders if Path(top, name).is_symlink()]
        found += [Path(top, name).relative_to(folder).as_posix() for name in (*names, *links)]
    return found


def statement(document: Any) -> Any:
    """An in-toto Statement, which may be wrapped in a DSSE envelope."""
    if isinstance(document, dict) and "payload" in document:
        try:
            return parse_json(base64.b64decode(document["payload"], validate=True).decode())
        except (ValueError, TypeError):
            return None
    return document


def check_receipt(folder: Path, findings: Findings, ledger: dict[str, Any] | None) -> dict[str, Any]:
    """The receipt names this manifest and this ledger; returns its predicate."""
    document = load(folder, "receipt.json", findings)
    if document is None:
        return {}
    found = statement(document)
    predicate = found.get("predicate") if isinstance(found, dict) else None
    if not isinstance(predicate, dict) or found.get("_type") != "https://in-toto.io/Statement/v1":
        findings.broken.append("receipt.json is not an in-toto Statement v1")
        return {}
    stated = {hex_of(predicate[key]) for key in ("manifest",) if key in predicate}
    subjects = found.get("subject")
    for subject in subjects if isinstance(subjects, list) else []:
        if isinstance(subject, dict) and Path(str(subject.get("name"))).name == "manifest.json":
            stated.add(str(subject.get("digest", {}).get("sha256")))
    manifest = folder / "manifest.json"
    if findings.expect(bool(stated), "receipt.json does not state the digest of manifest.json") and manifest.is_file():
        same = stated == {sha256(manifest.read_bytes())}
        findings.expect(same, "manifest.json: changed, its digest is not the one in the receipt")
    check_tip(predicate.get("ledger"), ledger, findings)
    findings.checked.append("the receipt against manifest and ledger")
    signed = isinstance(document, dict) and bool(document.get("signatures"))
    findings.open.append(
        "whether the signature on the receipt is good: that needs a key and more than Python alone"
        if signed
        else "who made this: an unsigned receipt protects against accident, not against its own author, "
        "who could have written every file of this folder anew"
    )
    findings.open.append(
        "the words of RECEIPT.md, and what only receipt.json says (claims, readings, limits): `protoc verify` compares "
        "the two, and a registry holds the receipt's digest"
    )
    return predicate


def check_tip(stated: Any, ledger: dict[str, Any] | None, findings: Findings) -> None:
    """Head, length and Merkle root of the ledger are those of the receipt."""
    if not isinstance(stated, dict) or ledger is None:
        findings.expect(stated is None or ledger is not None, "receipt.json speaks of a ledger that cannot be read")
        findings.expect(stated is not None or ledger is None, "receipt.json does not state the ledger's head")
        return
    for key, words in (("head", "head"), ("length", "length"), ("root", "Merkle root")):
        same = key in stated and str(hex_of(stated[key])) == str(ledger[key])
        findings.expect(same, f"ledger.jsonl: its {words} is {ledger[key]}, the receipt says {stated.get(key)}")


def check_ledger(folder: Path, findings: Findings) -> dict[str, Any] | None:
    """The hash chain: every line continues the one before. Returns head, length and Merkle root."""
    path = folder / "ledger.jsonl"
    if not path.is_file():
        return None
    lines = path.read_bytes().split(b"\n")
    findings.expect(lines.pop() == b"", "ledger.jsonl: the last line is torn")
    head = GENESIS
    for number, line in enumerate(lines, 1):
        try:
            event = json.loads(line)
        except ValueError:
            event = None
        well = isinstance(event, dict) and set(event) == {"v", "seq", "prev", "kind", "body"}
        if not findings.expect(well, f"ledger.jsonl line {number}: not an event"):
            break
        continues = event["seq"] == number and event["prev"] == head
        if not findings.expect(continues, f"ledger.jsonl line {number}: it does not continue the line before"):
            break
        head = sha256(line)
    findings.checked.append(f"the ledger's chain of {len(lines)} events")
    return {"head": head, "length": len(lines), "root": merkle(lines).hex()}


def merkle(leaves: list[bytes]) -> bytes:
    """The RFC 6962 tree hash."""
    level = [hashlib.sha256(b"\x00" + leaf).digest() for leaf in leaves]
    if not level:
        return hashlib.sha256(b"").digest()
    while len(level) > 1:  # a lone last node goes up as it is
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [hashlib.sha256(b"\x01" + a + b).digest() for a, b in pairs] + level[len(level) // 2 * 2 :]
    return level[0]


def check_protocol(folder: Path, findings: Findings, digest: str, summary: Any, predicate: dict[str, Any]) -> None:
    """The bundle, its seal and its results speak of the protocol that this program was made from."""
    found = [folder / name for name in ("package/protocol.json", "protocol.json") if (folder / name).is_file()]
    if findings.expect(bool(found), "protocol.json is missing"):
        same = sha256(found[0].read_bytes()) == hex_of(digest)
        findings.expect(same, f"{found[0].name}: its digest is not the spec digest that verify.py was made from")
    seal = load(folder, "seal.json", findings) if (folder / "seal.json").is_file() else None
    documents = {"receipt.json": predicate, "summary.json": summary, "seal.json": statement(seal)}
    stated = {name: other for name, document in documents.items() if (other := spec_digest_in(document)) is not None}
    for name, other in stated.items():
        findings.expect(hex_of(other) == hex_of(digest), f"{name}: its spec digest is {other}, not {digest}")
    findings.checked.append(f"the spec digest in {', '.join(stated) or 'nothing: no file states it'}")


def spec_digest_in(document: Any) -> Any:
    """The spec digest that a summary states, or a predicate, alone or in its statement."""
    while isinstance(document, dict):
        found = document.get("spec_digest", document.get("spec"))
        if isinstance(found, str):
            return found
        document = document.get("predicate", document.get("protocol"))
    return None


def sealed_digests(folder: Path, findings: Findings, *, made_up: bool = False) -> dict[str, str]:
    """The digests of the sealed files that formulas read (`digest(T)`, `freeze.NAME`), as far as the seal has them;
    made-up rows are of no file, and of no seal."""
    found = load(folder, "digests.json", findings) if (folder / "digests.json").is_file() else {}
    digests = {name: hex_of(digest) for name, digest in found.items()} if isinstance(found, dict) else {}
    sealed = bool(digests) and not made_up
    seal = statement(load(folder, "seal.json", findings)) if sealed and (folder / "seal.json").is_file() else None
    inputs = seal.get("predicate", {}).get("inputs", []) if isinstance(seal, dict) else []
    for name in sorted({pin.get("table") for pin in inputs} & digests.keys()):
        pins = [hex_of(pin.get("sha256")) for pin in inputs if pin.get("table") == name]
        same = len(pins) > 1 or pins == [digests[name]]
        findings.expect(same, f"digests.json: the digest of {name} is not the one in the seal")
    return digests


def guarded(check: Callable[[], Any], findings: Findings) -> Any:
    """A check whose file may be damaged in a way that no other check has found."""
    try:
        return check()
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        findings.broken.append(f"the bundle is damaged: {type(error).__name__}: {error}")
    except Unworkable as error:
        findings.broken.append(str(error))
    return None
