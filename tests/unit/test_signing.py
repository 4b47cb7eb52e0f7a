"""Signatures and time stamps: made, checked, never called more than they are."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from protoc_runtime.diagnostics import Refused
from protoc_runtime.signing import dsse, timestamps
from unit.authority import Authority, authority
from unit.corpora import project, rows
from unit.keys import NONE, PEM, key_files
from unit.projects import Project, ids, read_json, read_lines

OPENSSH = serialization.Encoding.OpenSSH


# --- the envelope -------------------------------------------------------------------------------------------------

# the public example of the DSSE protocol, version 1.0: type, body, public key and signature
TYPE, BODY = "http://example.com/HelloWorld", b"hello world"
X = 46950820868899156662930047687818585632848591499744589407958293238635476079160
Y = 5640078356564379163099075877009565129882514886557779369047442380624545832820
SIGNATURE = "A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA=="


def test_the_public_vector_of_the_encoding_and_of_the_signature() -> None:
    assert dsse.pae(TYPE, BODY) == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    assert dsse.pae("", b"") == b"DSSEv1 0  0 "
    assert dsse.pae("é", b"\x00") == b"DSSEv1 2 \xc3\xa9 1 \x00", "lengths are of bytes"
    key = ec.EllipticCurvePublicNumbers(X, Y, ec.SECP256R1()).public_key()
    envelope = {
        "payload": base64.b64encode(BODY).decode(), "payloadType": TYPE, "signatures": [{"sig": SIGNATURE}],
    }  # fmt: skip
    assert dsse.verified(envelope, [key], BODY) == (dsse.key_id(key),)
    assert dsse.verified(envelope, [key], b"hello World") == ()
    assert dsse.verified({**envelope, "payloadType": TYPE + "s"}, [key], BODY) == ()
    changed = base64.b64encode(base64.b64decode(SIGNATURE)[:-1] + b"\x00").decode()
    assert dsse.verified({**envelope, "signatures": [{"sig": changed}]}, [key], BODY) == ()
    assert dsse.verified(envelope, [ec.generate_private_key(ec.SECP256R1()).public_key()], BODY) == ()


def test_an_envelope_holds_for_its_key_and_payload_only() -> None:
    key, other = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    envelope = dsse.sign(key, b"payload")
    assert dsse.verified(envelope, [other.public_key(), key.public_key()], b"payload") == (
        dsse.key_id(key.public_key()),
    )
    assert dsse.verified(envelope, [other.public_key()], b"payload") == ()
    lied = {**envelope, "signatures": [{**envelope["signatures"][0], "keyid": dsse.key_id(other.public_key())}]}
    assert dsse.verified(lied, [other.public_key()], b"payload") == (), "the key id decides nothing"
    for broken in ({}, {**envelope, "payload": "?"}, {**envelope, "signatures": [{}]}, {**envelope, "signatures": 3}):
        with pytest.raises(ValueError, match="no DSSE envelope"):
            dsse.verified(broken, [key.public_key()], b"payload")


# --- authority, project -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tsa(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Authority]:
    with authority(tmp_path_factory.mktemp("tsa") / "a") as made:
        yield made


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sealed") / "w"
    folder.mkdir()
    project(folder, "study", rows(12, 1, "heldout")).seal()
    return folder


@pytest.fixture
def study(sealed: Path, tmp_path: Path) -> Project:
    return Project(Path(shutil.copytree(sealed, tmp_path / "w")), "study")


def claim(bundle: Path, words: str) -> dict[str, str]:
    claims = read_json(bundle / "receipt.json")["predicate"]["claims"]
    return next(one for one in claims if words in one["says"])


# --- over seals and receipts --------------------------------------------------------------------------------------


def test_a_receipt_is_signed_and_verified_with_the_trusted_key(study: Project, tmp_path: Path) -> None:
    private, public = key_files(tmp_path, "lab")
    _, stranger = key_files(tmp_path, "stranger")
    bundle = study.run()
    assert bundle is not None
    study.protoc("verify", bundle, "--key", public, status=1)
    assert ids(study) == ["E2403"]
    assert "signed with key" in study.protoc("sign", bundle, "--key", private)
    out = study.protoc("verify", bundle)
    assert "not checked: a signature over the receipt names key" in out
    out = study.protoc("verify", bundle, "--key", stranger, "--key", public)
    assert "verified: the receipt is signed by lab.pub" in out
    assert "N1413" not in study.err
    study.protoc("verify", bundle, "--key", stranger, status=1)
    assert ids(study) == ["E2403"]
    done = subprocess.run([sys.executable, "-I", "verify.py"], cwd=bundle, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
    second = project(study.folder, "other", rows(12, 2, "heldout"))
    second.seal()
    other = second.run()
    assert other is not None
    shutil.copyfile(bundle / "signatures.jsonl", other / "signatures.jsonl")
    study.protoc("verify", other, status=1)
    assert ids(study) == ["E2404"], "a signature that was carried to another run"


@pytest.mark.parametrize(
    "line", [b"{}\n", b"nonsense\n", b'{"envelope":{},"kind":"dsse","of":"x","v":1}\n'], ids=["empty", "text", "other"]
)
def test_a_broken_line_is_a_fault_also_where_nobody_asks_for_it(study: Project, line: bytes) -> None:
    bundle = study.run()
    assert bundle is not None
    (bundle / "signatures.jsonl").write_bytes(line)
    study.protoc("verify", bundle, status=1)
    assert ids(study) == ["E2404"]
    (study.spec / "signatures.jsonl").write_bytes(b"nonsense\n")
    study.folder.joinpath("registry.jsonl").read_bytes()
    study.run(status=1)
    assert "E2404" in ids(study)


def test_a_seal_that_is_signed_when_it_is_made(study: Project, tmp_path: Path) -> None:
    private, public = key_files(study.folder, "lab")
    study.edit("protocol.yaml", "at least 50%., must: accuracy >= 50%", "at least 40%., must: accuracy >= 40%")
    study.compile()
    out = study.protoc("seal", study.spec, "--reason", "easier", "--sign", private)
    assert "is signed with key" in out
    bundle = study.run()
    assert bundle is not None
    told = claim(bundle, "The seal was signed by")
    assert told["grade"] == "attested", "nothing in this workspace says that the key is trusted"
    study.protoc("verify", bundle, "--key", public)
    (study.folder / "protoc.toml").write_text('[trust]\nkeys = ["lab.pub"]\n')
    shutil.rmtree(study.folder / "runs")
    (study.folder / "registry.jsonl").unlink()
    bundle = study.run()
    assert bundle is not None
    told = claim(bundle, "The seal was signed by lab.pub")
    assert told["grade"] == "proven"
    assert claim(bundle, "was sealed before this run")["grade"] == "recorded", "a signature says nothing about time"
    assert "*proven*" in (bundle / "RECEIPT.md").read_text()


def test_the_order_of_seal_and_run_is_proven_by_a_trusted_token_in_the_ledger(study: Project, tsa: Authority) -> None:
    out = study.protoc("sign", study.spec, "--timestamp", tsa.url)
    assert "existed at 20" in out
    bundle = study.run()
    assert bundle is not None
    told = claim(bundle, "was sealed before this run")
    assert told["grade"] == "recorded"
    assert "unchecked" in told["evidence"]
    shutil.copyfile(tsa.root, study.folder / "tsa.pem")
    (study.folder / "protoc.toml").write_text('[trust]\ntimestamp = ["tsa.pem"]\n')
    shutil.rmtree(study.folder / "runs")
    (study.folder / "registry.jsonl").unlink()
    bundle = study.run()
    assert bundle is not None
    told = claim(bundle, "was sealed before this run")
    assert told["grade"] == "proven"
    assert "states that the seal existed at" in told["evidence"]
    first = read_lines(bundle / "ledger.jsonl")[0]["body"]
    assert len(first["signatures"]) == 1
    assert "verified with root.pem" in study.protoc("verify", bundle, "--tsa", tsa.root)
    assert "not checked against any authority: a time-stamp token says" in study.protoc("verify", bundle)
    (bundle / "spec" / "signatures.jsonl").unlink()
    study.protoc("verify", bundle, status=1)
    assert "E1403" in ids(study)


def test_a_receipt_cannot_call_proven_what_no_token_shows(study: Project, tsa: Authority) -> None:
    from unit.test_verifying import close_again

    bundle = study.run()
    assert bundle is not None
    receipt = read_json(bundle / "receipt.json")
    receipt["predicate"]["claims"][0]["grade"] = "proven"
    from protoc_runtime.bundle import in_order

    (bundle / "receipt.json").write_bytes(in_order(receipt))
    close_again(bundle)
    shutil.move(bundle, study.folder.parent / "given")
    study.protoc("verify", study.folder.parent / "given", status=1)
    assert "E1405" in ids(study)
    assert "no token that shows it" in study.err


def test_a_token_of_another_authority_or_for_other_bytes_is_none(
    study: Project, tsa: Authority, tmp_path: Path
) -> None:
    answer = timestamps.request(tsa.url, b"data")
    assert timestamps.verified(answer, b"data", tsa.root) == ""
    assert timestamps.verified(answer, b"date", tsa.root) != ""
    other = Authority(tmp_path / "other")
    assert timestamps.verified(answer, b"data", other.root) != ""
    bundle = study.run()
    assert bundle is not None
    study.protoc("sign", bundle, "--timestamp", tsa.url)
    study.protoc("verify", bundle, "--tsa", tsa.root)
    study.protoc("verify", bundle, "--tsa", other.root, status=1)
    assert ids(study) == ["E2403"]
    lines = read_lines(bundle / "signatures.jsonl")
    raw = bytearray(base64.b64decode(lines[0]["response"]))
    raw[-3] ^= 1
    lines[0]["response"] = base64.b64encode(bytes(raw)).decode()
    text = json.dumps(lines[0], sort_keys=True, separators=(",", ":"))
    (bundle / "signatures.jsonl").write_text(text + "\n")
    study.protoc("verify", bundle, "--tsa", tsa.root, status=1)
    assert set(ids(study)) <= {"E2403", "E2404"}


@pytest.mark.parametrize("spoil", ["down", "nonsense", "replay"])
def test_an_answer_that_is_not_for_this_request_is_refused(study: Project, tsa: Authority, spoil: str) -> None:
    timestamps.request(tsa.url, b"first")
    tsa.spoil = spoil
    try:
        study.protoc("sign", study.spec, "--timestamp", tsa.url, status=1)
    finally:
        tsa.spoil = ""
    assert ids(study) == ["E2406"], study.err
    assert not (study.spec / "signatures.jsonl").exists()


def test_an_authority_that_is_not_there_is_refused(study: Project) -> None:
    study.protoc("sign", study.spec, "--timestamp", "http://127.0.0.1:9/", status=1)
    assert ids(study) == ["E2406"]


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_openssh_keys_sign_and_allowed_signers_verify(study: Project, tmp_path: Path) -> None:
    for name in ("me", "you"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(tmp_path / name)]
        subprocess.run(command, check=True, capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    mine, yours = tmp_path / "mine", tmp_path / "yours"
    mine.write_text(f"me@example.org {(tmp_path / 'me.pub').read_text()}")
    yours.write_text(f"you@example.org {(tmp_path / 'you.pub').read_text()}")
    bundle = study.run()
    assert bundle is not None
    study.protoc("sign", bundle, "--ssh", tmp_path / "me")
    assert "verified: the receipt is signed by me@example.org" in study.protoc("verify", bundle, "--signers", mine)
    study.protoc("verify", bundle, "--signers", yours, status=1)
    assert ids(study) == ["E2403"]
    study.protoc("sign", bundle, "--ssh", study.protocol, status=1)
    assert ids(study) == ["E2402"]
    study.protoc("sign", bundle, "--key", tmp_path / "me")
    key = Ed25519PrivateKey.generate()
    assert key.public_key().public_bytes(OPENSSH, serialization.PublicFormat.OpenSSH).startswith(b"ssh-ed25519")
    study.protoc("verify", bundle, "--key", tmp_path / "me.pub")


def test_what_cannot_sign_is_told(study: Project, tmp_path: Path) -> None:
    small = ec.generate_private_key(ec.SECP256R1())
    (tmp_path / "ec").write_bytes(small.private_bytes(PEM, serialization.PrivateFormat.PKCS8, NONE))
    locked = serialization.BestAvailableEncryption(b"word")
    secret = Ed25519PrivateKey.generate().private_bytes(PEM, serialization.PrivateFormat.PKCS8, locked)
    (tmp_path / "locked").write_bytes(secret)
    for name in ("ec", "locked", "none"):
        study.protoc("sign", study.spec, "--key", tmp_path / name, status=1)
        assert ids(study) == ["E2402"], name
    private, _ = key_files(tmp_path, "lab")
    study.protoc("sign", tmp_path, "--key", private, status=1)
    assert ids(study) == ["E2405"]
    study.protoc("sign", study.spec, status=2)
    (study.folder / "protoc.toml").write_text('[trust]\nkeys = "lab.pub"\n')
    study.protoc("sign", study.spec, "--key", private)
    study.run(status=1)
    assert ids(study) == ["E2402"], "what is to be trusted cannot be read: nothing is spent"
    assert not (study.folder / "registry.jsonl").exists()


def test_a_token_that_nobody_asks_about_needs_no_extra(
    study: Project, tsa: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    study.protoc("sign", study.spec, "--timestamp", tsa.url)
    bundle = study.run()
    study.protoc("sign", bundle, "--timestamp", tsa.url)
    monkeypatch.setitem(sys.modules, "rfc3161_client", None)
    told = study.protoc("verify", bundle)
    assert told.count("not checked, and not read without the package rfc3161-client: there is a time-stamp token") == 2
    study.protoc("verify", bundle, "--tsa", tsa.root, status=1)
    assert ids(study) == ["E2401"]


@pytest.mark.parametrize(
    ("package", "arguments"),
    [("cryptography.hazmat.primitives", ["--key", "lab"]), ("rfc3161_client", ["--timestamp", "http://127.0.0.1:9/"])],
)
def test_without_its_extra_a_command_names_it(
    study: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, arguments: list[str]
) -> None:
    key_files(tmp_path, "lab")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    study.protoc("sign", study.spec, *arguments, status=1)
    assert ids(study) == ["E2401"]
    assert "evalprotoc[" in study.err


def test_a_private_key_is_never_written_anywhere(study: Project, tmp_path: Path) -> None:
    private, _ = key_files(tmp_path, "lab")
    study.protoc("sign", study.spec, "--key", private)
    secret = private.read_text().splitlines()[1]
    assert not any(secret in path.read_text("latin-1") for path in study.folder.rglob("*") if path.is_file())
    with pytest.raises(Refused):
        dsse.public_key(private)
