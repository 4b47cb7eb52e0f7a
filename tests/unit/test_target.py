"""The target: its pinned commit in a worktree of the run's own, whatever the repository would like to run or hide."""

from __future__ import annotations

import hashlib
import os
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest

from protoc_runtime.diagnostics import Refused
from protoc_runtime.ledger import Ledger
from protoc_runtime.path_sets import matching, set_digest
from protoc_runtime.procedure import Target
from protoc_runtime.target import CLOSED, OPENED, Checkout, target_facts
from unit.test_git import git

FILES = {
    "ask/router.py": "route = 1\n",
    "corpus/a.md": "alpha\n",
    "corpus/deep/b.md": "beta\n",
    "run.sh": "#!/bin/sh\n",
}


PROGRAMS = (
    "core.fsmonitor", "core.pager", "filter.evil.smudge", "filter.evil.clean", "filter.evil.process",
    "diff.evil.textconv", "diff.external", "core.sshCommand", "core.editor", "alias.worktree", "alias.read-tree",
    "alias.cat-file", "core.alternateRefsCommand", "uploadpack.packObjectsHook",
)  # fmt: skip


class Place:
    """A repository with one commit, a ledger, and the worktree that is made of them."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self.repo = folder, folder / "ask repo"
        self.tree = folder / "runs" / "r.worktree"
        self.tree.parent.mkdir()
        self.repo.mkdir()
        git(self.repo, "init", "-q", *options)
        for name, text in FILES.items():
            (self.repo / name).parent.mkdir(parents=True, exist_ok=True)
            (self.repo / name).write_text(text)
        (self.repo / "run.sh").chmod(0o755)
        (self.repo / "link").symlink_to("corpus/a.md")
        self.commit = self.save()
        self.ledger = Ledger.open(folder / "ledger.jsonl")

    def save(self) -> str:
        """Commit everything."""
        git(self.repo, "add", "-A")
        git(self.repo, "commit", "-qm", "a commit")
        return git(self.repo, "rev-parse", "HEAD")

    def target(self, **changes: Any) -> Target:
        """The declared target."""
        values = {"repository": "ask repo", "repository_env": "", "commit": self.commit, **changes}
        return Target(**values)

    def open(self, environment: dict[str, str] | None = None, **changes: Any) -> Checkout:
        """The worktree."""
        return Checkout.open(
            self.target(**changes), self.folder, environment or {}, place=self.tree, ledger=self.ledger
        )

    def facts(self) -> dict[str, Any]:
        """The record `from: target`."""
        return target_facts(self.ledger.events(), self.commit)

    def last(self) -> dict[str, Any]:
        """The last state of the worktree in the ledger."""
        return [dict(event.body) for event in self.ledger.events() if event.kind in (OPENED, CLOSED)][-1]

    def registered(self) -> list[str]:
        """The worktrees that git knows."""
        listed = git(self.repo, "worktree", "list", "--porcelain").splitlines()
        return [line.removeprefix("worktree ") for line in listed if line.startswith("worktree ")]


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path)
    yield made
    made.ledger.close()


def refused(place: Place, environment: dict[str, str] | None = None, **changes: Any) -> tuple[str, str]:
    """The id and message of the refusal; nothing is left of the worktree."""
    with pytest.raises(Refused) as caught:
        place.open(environment, **changes)
    assert not place.tree.exists()
    if (place.repo / ".git").exists():
        assert place.registered() == [str(place.repo)]
    (found,) = caught.value.diagnostics
    return found.id, f"{found.message}; {found.hint}"


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_the_commit_is_laid_out_detached_and_clean(tmp_path, algorithm):
    place = Place(tmp_path, f"--object-format={algorithm}")
    digests = (("corpus", ("corpus/**",)), ("routing", ("ask/router.py",)))
    made = place.open(digests=digests)
    assert {str(p.relative_to(place.tree)) for p in place.tree.rglob("*") if not p.is_dir()} == {".git", "link", *FILES}
    assert (place.tree / "link").is_symlink()
    assert os.access(place.tree / "run.sh", os.X_OK)
    assert git(place.tree, "rev-parse", "HEAD") == place.commit
    assert git(place.tree, "status", "--porcelain") == ""
    assert place.registered() == [str(place.repo), str(place.tree)]
    made.close()
    made.close()
    lines = [f"{hashlib.sha256(FILES[n].encode()).hexdigest()}  {n}\n" for n in ("corpus/a.md", "corpus/deep/b.md")]
    facts = place.facts()
    assert facts.pop("first_read") < place.last()["at"]
    assert facts.pop("corpus") == hashlib.sha256("".join(lines).encode()).hexdigest()
    assert len(facts.pop("routing")) == 64
    assert facts == {"commit": place.commit, "detached": True, "clean_at_start": True, "clean_at_finish": True}
    assert not place.tree.exists()
    assert place.registered() == [str(place.repo)]
    place.ledger.close()


def test_what_the_working_tree_and_the_branch_hold_makes_no_difference(place):
    (place.repo / "ask" / "router.py").write_text("route = 2\n")
    (place.repo / "new.py").touch()
    place.save()
    (place.repo / "ask" / "router.py").write_text("route = 3\n")
    made = place.open()
    assert (place.tree / "ask" / "router.py").read_text() == "route = 1\n"
    assert not (place.tree / "new.py").exists()
    made.close()
    assert place.facts()["clean_at_finish"]


def test_a_hostile_repository_runs_nothing(place):
    """Filters, hooks, monitors, attributes, replaced objects, a pager and aliases: each would leave a mark."""
    mark = place.folder / "mark"
    program = place.folder / "evil.sh"
    program.write_text(f"#!/bin/sh\necho ran $0 $* >> {mark}\ncat\n")
    program.chmod(0o755)
    (place.repo / ".gitattributes").write_text("* filter=evil diff=evil text eol=crlf ident\n")
    git(place.repo, "config", "core.attributesFile", "/dev/null")
    place.commit = place.save()
    for name in PROGRAMS:
        git(place.repo, "config", name, str(program))
    git(place.repo, "config", "filter.evil.required", "true")
    git(place.repo, "config", "core.autocrlf", "true")
    hooks = place.repo / ".git" / "hooks"
    for name in ("post-checkout", "post-index-change", "reference-transaction", "pre-commit", "fsmonitor-watchman"):
        (hooks / name).write_bytes(program.read_bytes())
        (hooks / name).chmod(0o755)
    mark.unlink(missing_ok=True)
    made = place.open()
    assert (place.tree / "corpus" / "a.md").read_bytes() == b"alpha\n"
    made.close()
    assert not mark.exists()
    assert place.facts()["clean_at_start"]
    assert place.facts()["clean_at_finish"]


def test_large_files_and_submodules_are_left_as_they_are(place):
    (place.repo / "big.bin").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n")
    (place.repo / ".gitmodules").write_text('[submodule "x"]\npath = x\nurl = ext::sh -c touch% mark\n')
    git(place.repo, "update-index", "--add", "--cacheinfo", f"160000,{place.commit},x")
    place.commit = _commit_index(place)
    made = place.open()
    assert (place.tree / "big.bin").read_text().startswith("version https://git-lfs")
    assert list((place.tree / "x").iterdir()) == []
    assert [(warning.id, "1 submodule and 1 large file" in warning.message) for warning in made.warnings] == [
        ("W1705", True)
    ]
    made.close()
    assert place.facts()["clean_at_finish"]


def _commit_index(place: Place) -> str:
    git(place.repo, "add", "big.bin", ".gitmodules")
    git(place.repo, "commit", "-qm", "more")
    return git(place.repo, "rev-parse", "HEAD")


def dirty_tracked(tree: Path) -> None:
    (tree / "corpus" / "a.md").write_text("gamma\n")


def dirty_assumed(tree: Path) -> None:
    git(tree, "update-index", "--assume-unchanged", "corpus/a.md")
    git(tree, "update-index", "--skip-worktree", "run.sh")
    (tree / "corpus" / "a.md").write_text("gamma\n")
    assert git(tree, "status", "--porcelain") == ""


def dirty_untracked(tree: Path) -> None:
    (tree / "corpus" / "a.md.bak").touch()


def dirty_ignored(tree: Path) -> None:
    exclude = Path(git(tree, "rev-parse", "--git-common-dir")) / "info" / "exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.write_text("*.pyc\n")
    (tree / "corpus" / "x.pyc").touch()
    assert git(tree, "status", "--porcelain") == ""


def dirty_mode(tree: Path) -> None:
    (tree / "run.sh").chmod(0o644)


def dirty_link(tree: Path) -> None:
    (tree / "link").unlink()
    (tree / "link").write_text("corpus/a.md")


def dirty_pipe(tree: Path) -> None:
    os.mkfifo(tree / "pipe")


def dirty_gone(tree: Path) -> None:
    (tree / "corpus" / "deep" / "b.md").unlink()


def dirty_committed(tree: Path) -> None:
    (tree / "corpus" / "a.md").write_text("gamma\n")
    git(tree, "commit", "-qam", "hidden by a commit of its own")


def dirty_folder(tree: Path) -> None:
    subprocess.run(["rm", "-rf", str(tree)], check=True)


DIRTY = [dirty_tracked, dirty_assumed, dirty_untracked, dirty_ignored, dirty_mode, dirty_link, dirty_pipe, dirty_gone,
         dirty_committed, dirty_folder]  # fmt: skip


@pytest.mark.parametrize("dirty", DIRTY, ids=lambda function: function.__name__[6:])
def test_a_worktree_that_is_dirty_at_the_finish_is_seen(place, dirty):
    made = place.open()
    dirty(place.tree)
    made.close()
    facts = place.facts()
    assert (facts["clean_at_start"], facts["clean_at_finish"]) == (True, False)
    assert place.last()["different"] > 0
    assert place.last()["paths"]
    assert not place.tree.exists()
    assert place.registered() == [str(place.repo)]


def test_a_moved_head_is_seen(place):
    (place.repo / "new.py").touch()
    other = place.save()
    made = place.open()
    git(place.tree, "update-ref", "--no-deref", "HEAD", other)
    made.close()
    facts = place.facts()
    assert (facts["commit"], facts["detached"], facts["clean_at_finish"]) == (other, True, False)


def test_a_branch_in_the_worktree_is_not_detached(place):
    made = place.open()
    git(place.tree, "switch", "-qc", "work")
    made.close()
    assert (place.facts()["commit"], place.facts()["detached"]) == (place.commit, False)


def test_a_link_to_another_repository_is_seen(place):
    made = place.open()
    (place.tree / ".git").write_text(f"gitdir: {place.repo / '.git'}\n")
    made.close()
    assert not place.facts()["detached"]
    assert place.registered() == [str(place.repo)]


def test_what_a_killed_run_left_is_looked_at_and_removed(place):
    place.open()  # and never closed
    (place.tree / "corpus" / "a.md").write_text("gamma\n")
    made = place.open()
    assert (place.tree / "corpus" / "a.md").read_text() == "alpha\n"
    made.close()
    facts = place.facts()
    assert (facts["clean_at_start"], facts["clean_at_finish"]) == (True, False)


def test_a_killed_run_whose_worktree_is_gone_was_not_clean(place):
    place.open()
    dirty_folder(place.tree)
    place.open().close()
    assert not place.facts()["clean_at_finish"]


def test_without_an_end_nobody_knows_that_it_was_clean(place):
    place.open()
    assert not place.facts()["clean_at_finish"]


def test_a_repository_named_by_the_environment(place):
    made = place.open({"ASK": str(place.repo)}, repository="", repository_env="ASK")
    made.close()
    assert place.facts()["commit"] == place.commit
    found, message = refused(place, {}, repository="", repository_env="ASK")
    assert (found, "no ASK" in message) == ("E1701", True)


def test_a_bare_repository_will_do(place):
    git(place.folder, "clone", "-q", "--bare", str(place.repo), "bare.git")
    made = place.open(repository="bare.git")
    assert (place.tree / "run.sh").exists()
    made.close()
    assert place.facts()["clean_at_finish"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("nowhere", "no such folder"),
        ("https://example.org/ask.git", "nothing is fetched"),
        ("git@example.org:ask.git", "nothing is fetched"),
        ("--upload-pack=touch", "no such folder"),
        ("ask repo/corpus", "no git repository"),
        ("runs", "no git repository"),
    ],
)
def test_what_is_no_repository_here(place, given, words):
    found, message = refused(place, repository=given)
    assert found == "E1701"
    assert words in message


def test_a_commit_that_is_not_there(place):
    found, message = refused(place, commit="0" * 40)
    assert found == "E1702"
    assert "rewritten" in message


def test_a_shallow_clone_says_so(place):
    first = place.commit
    (place.repo / "new.py").touch()
    place.commit = place.save()
    git(place.folder, "clone", "-q", "--depth", "1", f"file://{place.repo}", "shallow")
    place.open(repository="shallow").close()
    assert place.facts()["clean_at_finish"]
    found, message = refused(place, repository="shallow", commit=first)
    assert found == "E1702"
    assert "shallow" in message
    assert "--unshallow" in message


def test_a_partial_clone_fetches_nothing(place):
    git(place.repo, "config", "uploadpack.allowFilter", "true")
    git(place.folder, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{place.repo}", "partial")
    found, message = refused(place, repository="partial")
    assert found == "E1702"
    assert "is lacking" in message


def loose(place: Place, digest: str) -> Path:
    return place.repo / ".git" / "objects" / digest[:2] / digest[2:]


def test_an_object_that_is_not_what_its_name_says(place):
    path = loose(place, git(place.repo, "rev-parse", "HEAD:corpus/a.md"))
    path.chmod(0o644)
    path.write_bytes(zlib.compress(b"blob 6\0gamma\n"))
    found, message = refused(place)
    assert found == "E1703"
    assert "another" in message or "something else" in message or "cannot be read" in message


@pytest.mark.parametrize("name", [".git", "..", ".GIT"])
def test_a_tree_that_would_leave_its_folder(place, name):
    blob = bytes.fromhex(git(place.repo, "rev-parse", "HEAD:run.sh"))
    body = b"100644 " + name.encode() + b"\0" + blob
    raw = b"tree %d\0" % len(body) + body
    tree = hashlib.sha1(raw).hexdigest()
    loose(place, tree).parent.mkdir(exist_ok=True)
    loose(place, tree).write_bytes(zlib.compress(raw))
    commit = git(place.repo, "commit-tree", "-m", "evil", tree)
    found, message = refused(place, commit=commit)
    assert found == "E1703"
    assert "no worktree can have" in message


def test_paths_that_match_nothing_or_are_other_files(place):
    found, message = refused(place, digests=(("corpus", ("corpsu/**",)),))
    assert (found, "no file of the commit" in message) == ("E1704", True)
    found, message = refused(place, digests=(("corpus", ("corpus/**",)),), pinned=(("corpus", "0" * 64),))
    assert (found, "is stated" in message) == ("E1704", True)


def test_a_place_that_cannot_be_written(place):
    place.tree.parent.rmdir()
    place.tree.parent.write_text("a file")
    with pytest.raises(Refused) as caught:
        place.open()
    assert caught.value.diagnostics[0].id == "E1703"


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("corpus/**", ["corpus/a.md", "corpus/deep/b.md"]),
        ("corpus", ["corpus/a.md", "corpus/deep/b.md"]),
        ("corpus/", ["corpus/a.md", "corpus/deep/b.md"]),
        ("corpus/*.md", ["corpus/a.md"]),
        ("**/*.md", ["corpus/a.md", "corpus/deep/b.md"]),
        ("corpus/**/b.md", ["corpus/deep/b.md"]),
        ("corpus/?.md", ["corpus/a.md"]),
        ("corpus/[!b].md", ["corpus/a.md"]),
        ("*", ["ask/router.py", "corpus/a.md", "corpus/deep/b.md", "run.sh"]),
        ("a.md", []),
        ("corpus/a.m", []),
    ],
)
def test_globs(glob, expected):
    assert matching([glob], FILES) == expected


def test_the_digest_of_a_set_is_that_of_the_lines_of_sha256sum():
    assert (
        set_digest(["b", "c d"], {"b": "1" * 64, "c d": "2" * 64})
        == hashlib.sha256(f"{'1' * 64}  b\n{'2' * 64}  c d\n".encode()).hexdigest()
    )
