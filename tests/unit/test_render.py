"""Diagnostics in their four forms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from protoc_compiler.render import FORMATS, json_, render, text
from protoc_runtime.diagnostics import Diagnostic, Kind, Related, Span

KIND = Kind("E0312", "unknown-name", "error", "`{name}` is not known", "did you mean `{near}`?", "A name must exist.")
WARNING = Kind("W0801", "always-true", "warning", "m", "", "It says nothing.")
NOTE = Kind("N0802", "counts", "note", "m", "", "It helps.")


def span(file: Path | str, line: int, column: int, end_column: int, end_line: int | None = None) -> Span:
    return Span(str(file), line, column, end_line or line, end_column)


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "protocol.yaml"
    path.write_bytes("gates:\r\n  acc:\r\n    must: acuracy >= 0.90\r\n    日本: größe\t== x\r\n".encode())
    return path


def one(where: Span | None, message: str = "`acuracy` is not known", *related: Related) -> Diagnostic:
    return Diagnostic(KIND, where, message, "did you mean `accuracy`?", related)


def test_plain_text_is_a_line_and_its_hint(spec: Path) -> None:
    item = one(span(spec, 3, 11, 18), "`acuracy` is not known", Related(span(spec, 2, 3, 6), "in this gate"))
    assert render([item], "text").splitlines() == [
        f"{spec}:3:11: E0312 unknown-name `acuracy` is not known",
        "  hint: did you mean `accuracy`?",
        f"  see: {spec}:2:3: in this gate",
    ]


def test_excerpts_have_carets_under_the_place(spec: Path) -> None:
    lines = render([one(span(spec, 3, 11, 18))], "text", excerpts=True).splitlines()
    assert lines[2] == "   3 |     must: acuracy >= 0.90"
    assert lines[3] == "     |           ^^^^^^^"


def test_carets_count_terminal_cells(spec: Path) -> None:
    lines = render([one(span(spec, 4, 9, 14))], "text", excerpts=True).splitlines()
    assert lines[2] == "   4 |     日本: größe == x"
    assert lines[3] == "     |           ^^^^^"


def test_a_place_over_several_lines_is_marked_on_the_first(spec: Path) -> None:
    lines = render([one(span(spec, 2, 3, 10, end_line=3))], "text", excerpts=True).splitlines()
    assert lines[3] == "     |   ^^^^"


def test_a_long_line_is_cut_around_the_place(tmp_path: Path) -> None:
    path = tmp_path / "long.yaml"
    path.write_text("x" * 5000 + "HERE" + "y" * 5000, encoding="utf-8")
    lines = render([one(span(path, 1, 5001, 5005))], "text", excerpts=True).splitlines()
    assert len(lines[2]) < 200
    column = lines[2].index("HERE")
    assert lines[3].index("^^^^") == column


def test_places_outside_the_file_have_no_excerpt(spec: Path, tmp_path: Path) -> None:
    for where in (span(spec, 99, 1, 2), span(tmp_path / "gone.yaml", 1, 1, 2)):
        assert len(render([one(where)], "text", excerpts=True).splitlines()) == 2


def test_color_only_when_asked(spec: Path) -> None:
    item = one(span(spec, 3, 11, 18))
    assert "\x1b" not in render([item], "text", excerpts=True)
    assert "\x1b[31;1mE0312\x1b[0m" in render([item], "text", color=True)


def test_text_cannot_steer_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "evil.yaml"
    path.write_text("a: \x1b[2J\u202ex\n", encoding="utf-8")
    shown = render([one(span(path, 1, 1, 5), "found \x1b]0;title\x07")], "text", excerpts=True)
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\u202e" not in shown


def test_a_fault_without_a_place() -> None:
    assert render([one(None)], "text").startswith("E0312 unknown-name ")
    (item,) = json.loads(render([one(None)], "json"))["diagnostics"]
    assert (item["file"], item["line"]) == (None, None)
    assert render([one(None)], "github").startswith("::error title=E0312 unknown-name::")
    assert "locations" not in json.loads(render([one(None)], "sarif"))["runs"][0]["results"][0]


def test_json_has_the_promised_shape(spec: Path) -> None:
    related = Related(span(spec, 2, 3, 6), "in this gate")
    document = json.loads(render([one(span(spec, 3, 11, 18), "`acuracy` is not known", related)], "json"))
    assert document == {
        "diagnostics": [
            {
                "id": "E0312",
                "name": "unknown-name",
                "severity": "error",
                "file": str(spec),
                "line": 3,
                "column": 11,
                "end_line": 3,
                "end_column": 18,
                "message": "`acuracy` is not known",
                "hint": "did you mean `accuracy`?",
                "related": [{"file": str(spec), "line": 2, "column": 3, "message": "in this gate"}],
            }
        ]
    }


def test_json_meets_its_schema(spec: Path) -> None:
    import jsonschema

    schema = json_.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    related = Related(span(spec, 2, 3, 6), "here")
    document = json.loads(render([one(None), one(span(spec, 3, 11, 18), "m", related)], "json"))
    jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"diagnostics": [{"id": "E0312"}]}, schema)


def test_github_commands_are_escaped() -> None:
    item = Diagnostic(KIND, span("a,b:c.yaml", 3, 1, 2), "100% wrong\nreally", "", ())
    assert render([item], "github") == (
        "::error file=a%2Cb%3Ac.yaml,line=3,endLine=3,col=1,endColumn=2,title=E0312 unknown-name"
        "::100%25 wrong%0Areally\n"
    )


def test_github_names_severities() -> None:
    items = [Diagnostic(kind, None, "m", "") for kind in (KIND, WARNING, NOTE)]
    assert [line.split(" ")[0] for line in render(items, "github").splitlines()] == ["::error", "::warning", "::notice"]


def test_sarif_has_the_essentials(spec: Path) -> None:
    relative = Diagnostic(WARNING, span("specs/a b.yaml", 1, 1, 2), "m", "", (Related(span(spec, 2, 3, 6), "here"),))
    log = json.loads(render([one(span(spec, 3, 11, 18)), relative, one(span(spec, 1, 1, 2))], "sarif"))
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "protoc"
    assert [rule["id"] for rule in driver["rules"]] == ["E0312", "W0801"]
    assert run["columnKind"] == "unicodeCodePoints"
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        (location,) = result["locations"]
        region = location["physicalLocation"]["region"]
        assert 1 <= region["startColumn"] <= region["endColumn"]
    uris = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"]]
    assert uris == [spec.as_uri(), "specs/a%20b.yaml", spec.as_uri()]
    assert run["results"][1]["relatedLocations"][0]["message"]["text"] == "here"


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_to_say(form: str) -> None:
    shown = render([], form)
    if form in ("json", "sarif"):
        assert json.loads(shown)
    else:
        assert shown == ""


def test_the_summary_counts() -> None:
    items = [one(None), one(None, "other"), Diagnostic(NOTE, None, "m", "")]
    assert text.summary(items, 1) == "1 protocol checked: 2 errors, 1 note\n"
    assert text.summary([], 2) == "2 protocols checked: no findings\n"
