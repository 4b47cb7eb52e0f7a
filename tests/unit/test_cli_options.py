"""Every option of every command: what has no effect is refused, and JSON is one document whatever becomes of it."""

from __future__ import annotations

import io
import json
from importlib import import_module
from pathlib import Path

import jsonschema
import pytest

from protoc_compiler.cli import main
from protoc_compiler.cli.commands import COMMANDS
from protoc_compiler.cli.parser import Parser
from protoc_compiler.emit.score_schema import schema as score_schema
from protoc_compiler.render.json_ import schema
from unit.projects import new_project

UNREADABLE = "protoc: 1\n  protocol: [\n"
WRONG = "protoc: 1\ngates:\n  acc: {says: At least 0.90., must: acc >= 0.90 && b}\n"

# Options that have an effect wherever the command takes them.
ALWAYS = {
    "adjudicate": {"--export", "--import", "--serve", "--workspace"},
    "check": {"--strict", "--format"},
    "compile": {"--out", "--check", "--workspace"},
    "diff": {"--fail-on", "--accepted", "--undeclared", "--no-proof", "--format", "--workspace"},
    "explain": {"--format", "--work"},
    "fmt": {"--check", "--diff"},
    "freeze": {"--workspace"},
    "init": {"--template"},
    "parity": {"--reference", "--candidate", "--out", "--manifest", "--workspace"},
    "phases": {"--attest", "--format", "--workspace"},
    "run": {"--phase", "--rehearse", "--resume", "--attest", "--workspace"},
    "runs": {"--workspace"},
    "schema": {"--for"},
    "score": {"--data", "--format", "--workspace"},
    "seal": {"--reason", "--sign", "--ssh", "--timestamp", "--workspace"},
    "sign": {"--key", "--ssh", "--timestamp"},
    "splits": {"--check", "--merge", "--overlap", "--void"},
    "verdict": {"--workspace"},
    "verify": {"--key", "--signers", "--tsa", "--workspace"},
    "why": set(),
}
# The others, each in a place where it would have none.
NOWHERE = {
    ("adjudicate", "--rater"): ["adjudicate", "DIR", "--import", "DIR", "--rater", "r"],
    ("adjudicate", "--port"): ["adjudicate", "DIR", "--export", "DIR", "--port", "0"],
    ("check", "--explain"): ["check", "SPEC", "--explain", "--format", "json"],
    ("diff", "--accept"): ["diff", "SPEC", "SPEC", "--accept", "--format", "json"],
    ("diff", "--cases"): ["diff", "SPEC", "SPEC", "--cases", "o", "--no-proof"],
    ("diff", "--replay"): ["diff", "--replay", "DIR"],
    ("freeze", "--out"): ["freeze", "check", "FILE", "--phase", "p", "--out", "o"],
    ("freeze", "--set"): ["freeze", "check", "FILE", "--phase", "p", "--set", "a=b"],
    ("freeze", "--by"): ["freeze", "check", "FILE", "--phase", "p", "--by", "me"],
    ("freeze", "--phase"): ["freeze", "new", "SPEC", "--phase", "p"],
    ("freeze", "--spec"): ["freeze", "new", "SPEC", "--spec", "SPEC"],
    ("freeze", "--format"): ["freeze", "new", "SPEC", "--format", "json"],
    ("run", "--out"): ["run", "SPEC", "--resume", "DIR", "--out", "o"],
    ("score", "--unchecked"): ["score", "SPEC", "--data", "SPECS", "--unchecked"],
    ("splits", "--key"): ["splits", "--key", "case"],
    ("splits", "--text"): ["splits", "--check", "--text", "text"],
    ("splits", "--json"): ["splits", "--void", "DIR", "--json", "f"],
    ("splits", "--reason"): ["splits", "--overlap", "FILE", "FILE", "--reason", "r"],
    ("splits", "--evidence"): ["splits", "--check", "--evidence", "FILE"],
    ("splits", "--workspace"): ["splits", "--overlap", "FILE", "FILE", "--workspace", "DIR"],
}
PRINTS_JSON = {
    "check": ["check", "SPEC"],
    "diff": ["diff", "SPEC", "SPEC"],
    "explain": ["explain", "SPEC"],
    "freeze": ["freeze", "check", "FILE", "--phase", "p", "--spec", "SPEC"],
    "phases": ["phases", "SPEC"],
    "score": ["score", "SPEC", "--data", "SPECS"],
}


def options(command: str) -> dict[str, set[str]]:
    """The long options of a command, each with its choices."""
    parser = Parser(io.StringIO())
    import_module(COMMANDS[command][0]).add_arguments(parser)
    found = {
        action.option_strings[-1]: set(action.choices or ()) for action in parser._actions if action.option_strings
    }
    del found["--help"]
    return found


def called(argv: list[str], **places: Path) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    words = [str(places.get(word.lower(), word)) for word in argv]
    return main(words, io.StringIO(), out, err), out.getvalue(), err.getvalue()


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    project = new_project(tmp_path / "project")
    file = tmp_path / "rows.jsonl"
    file.write_text('{"case": "a"}\n', encoding="utf-8")
    return {"spec": project.spec, "specs": project.spec, "dir": tmp_path, "file": file}


@pytest.mark.parametrize("command", COMMANDS)
def test_of_every_option_it_is_known_where_it_has_an_effect(command: str) -> None:
    nowhere = {option for name, option in NOWHERE if name == command}
    assert set(options(command)) == ALWAYS[command] | nowhere
    assert not ALWAYS[command] & nowhere


@pytest.mark.parametrize("at", NOWHERE, ids=" ".join)
def test_an_option_without_effect_is_wrong_usage(places: dict[str, Path], at: tuple[str, str]) -> None:
    status, out, err = called(NOWHERE[at], **places)
    assert (status, out) == (2, "")
    assert at[1] in err.splitlines()[0]


@pytest.mark.parametrize(
    "argv",
    [["check", ""], ["run", "SPEC", "--out", ""], ["splits", "--check", "--key", ""], ["diff", "", "SPEC"],
     ["why", "", "h5"], ["adjudicate", "DIR", "--export", ""]],
    ids=" ".join,
)  # fmt: skip
def test_an_empty_argument_is_wrong_usage_and_never_the_current_folder(
    places: dict[str, Path], argv: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(places["spec"])
    status, out, err = called(argv, **places)
    assert (status, out) == (2, "")
    assert "an argument is empty" in err


@pytest.mark.parametrize("command", [name for name in COMMANDS if "--workspace" in options(name)])
def test_a_workspace_that_is_not_there_is_wrong_usage(places: dict[str, Path], command: str) -> None:
    needed = {"freeze": ["new", "SPEC"], "parity": ["SPEC", "--reference", "FILE", "--candidate", "FILE", "--out", "o"],
              "score": ["SPEC", "--data", "SPECS"], "adjudicate": ["DIR", "--serve"], "runs": [], "splits": [],
              "verify": ["DIR"], "verdict": ["DIR"]}  # fmt: skip
    status, _, err = called([command, *needed.get(command, ["SPEC"]), "--workspace", "nowhere"], **places)
    assert status == 2
    assert "there is no folder `nowhere`" in err


def test_every_command_that_prints_json_is_tried() -> None:
    assert set(PRINTS_JSON) == {name for name in COMMANDS if "json" in options(name).get("--format", ())}


@pytest.mark.parametrize("text", [UNREADABLE, WRONG, "", "\x00"], ids=["unreadable", "wrong", "empty", "no-text"])
@pytest.mark.parametrize("command", PRINTS_JSON)
def test_json_is_one_document_when_the_spec_has_errors(places: dict[str, Path], command: str, text: str) -> None:
    (places["spec"] / "protocol.yaml").write_text(text, encoding="utf-8")
    status, out, err = called([*PRINTS_JSON[command], "--format", "json"], **places)
    document = json.loads(out)
    jsonschema.validate(document, schema())
    assert status == (2 if command == "diff" else 1)  # a review that cannot be made has found nothing
    assert any(item["severity"] == "error" for item in document["diagnostics"])
    assert err == ""


@pytest.mark.parametrize("form", ["github", "sarif"])
def test_a_review_that_cannot_be_made_is_told_in_its_form(places: dict[str, Path], form: str) -> None:
    (places["spec"] / "protocol.yaml").write_text(WRONG, encoding="utf-8")
    status, out, err = called(["diff", "SPEC", "SPEC", "--format", form], **places)
    assert (status, err) == (2, "")  # it is no finding of a review
    assert "E0" in out
    assert "E2708" in out


def test_the_json_of_score_meets_its_schema(places: dict[str, Path]) -> None:
    (places["spec"] / "answers.jsonl").write_text('{"case": "h5", "answer": "wanted"}\n', encoding="utf-8")
    protocol = places["spec"] / "protocol.yaml"
    gate = "gates:\n  each: {says: All are right., must: all cases have right}\n"
    protocol.write_text(protocol.read_text(encoding="utf-8").replace("gates:\n", gate), encoding="utf-8")
    status, out, _ = called(["score", "SPEC", "--data", "SPECS", "--format", "json"], **places)
    assert status == 1
    jsonschema.validate(json.loads(out), score_schema())
    assert json.loads(out)["rows"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**json.loads(out), "gates": {"each": "no"}}, score_schema())
