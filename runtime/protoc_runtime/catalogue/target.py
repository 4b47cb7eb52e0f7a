"""E17xx: why the repository that a protocol evaluates cannot be laid out at its pinned commit."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

NO_REPOSITORY = Kind(
    "E1701",
    "no-target-repository",
    "error",
    "the target's repository {place} cannot be used: {reason}",
    "clone it to this machine and give its folder: `repository: PATH`, or `repository: env NAME` and the variable",
    "The runner makes a worktree of its own from a repository on this machine. It fetches nothing, so that what is "
    "evaluated does not depend on what a server says today.",
    "`protoc run SPEC` without the variable that `repository: env NAME` names",
)
NO_COMMIT = Kind(
    "E1702",
    "no-target-commit",
    "error",
    "the target's repository {place} does not hold the whole pinned commit {commit}: {reason}",
    "{hint}",
    "The commit is pinned by the protocol. Another one, such as the present end of a branch, is another system.",
    "a target whose `commit` was rewritten since, then `protoc run SPEC`",
)
NOT_LAID_OUT = Kind(
    "E1703",
    "target-not-laid-out",
    "error",
    "the target's commit {commit} cannot be laid out: {reason}",
    "look at the repository with `git fsck`, and at the space and permissions of the folder of runs",
    "Every object of the commit is read, compared with its own hash, and written as it is: no filter, hook or "
    "attribute of the repository has a say. An object that is damaged, or a name that would leave the folder, ends "
    "the launch before a split is read.",
    "a repository with a damaged object, then `protoc run SPEC`",
)
OTHER_FILES = Kind(
    "E1704",
    "target-files-differ",
    "error",
    "the target's digest {name} of {globs} is not what the protocol expects: {reason}",
    "look at the paths in the pinned commit; a digest is that of the lines `SHA-256  path`, sorted by path",
    "A set of paths without a file, or with other files than the protocol states, would be evidence of nothing.",
    "digests: {corpus: [corpsu/**]}",
)
LEFT_OUT = Kind(
    "W1705",
    "target-left-out",
    "warning",
    "the target's commit has {what}, which the worktree does not get",
    "evaluate a repository that holds everything it needs, or see to it that the subject does without",
    "Submodules and large files (LFS) live elsewhere. They are not fetched: the folder of a submodule stays empty, a "
    "large file is its pointer.",
    "a target with a submodule",
)

KINDS = (NO_REPOSITORY, NO_COMMIT, NOT_LAID_OUT, OTHER_FILES, LEFT_OUT)
