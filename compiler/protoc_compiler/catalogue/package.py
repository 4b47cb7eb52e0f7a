"""E090x: faults of writing and comparing a generated package."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

EDITED = Kind(
    "E0901",
    "edited-package",
    "error",
    "{path} was changed by hand since it was generated",
    "move the change into the spec, or delete {folder} if it is not needed, and compile again",
    "A generated package says exactly what its spec says. Compiling over an edited file would lose the edit without "
    "a word, and keeping the edit would leave rules that no spec contains.",
    "a comment added to rules.py",
)
FOREIGN_FILE = Kind(
    "E0902",
    "foreign-file-in-package",
    "error",
    "{path} is no file of the generated package",
    "move it out of {folder}: the folder is replaced as a whole",
    "A generated package is replaced as a whole, so that never half of it is new. A file that somebody put there "
    "would be lost.",
    "a file notes.txt in the folder of the package",
)
NOT_A_PACKAGE = Kind(
    "E0903",
    "folder-is-no-package",
    "error",
    "{folder} exists and is no generated package: it has no package.json that can be read",
    "choose another folder with `--out`, or remove this one",
    "The compiler replaces only what it has written itself, and knows that by the list of digests in package.json.",
    "a folder with the name of the package and other files in it",
)
SAME_PACKAGE = Kind(
    "E0904",
    "two-specs-one-package",
    "error",
    "{first} and {second} both compile to the package {package}",
    "give one of them another id or version",
    "The name of a package is the protocol's id and version. Two protocols under one name would overwrite each other, "
    "and results could not be told apart.",
    "the same spec in two folders",
)
STALE = Kind(
    "E0905",
    "stale-package",
    "error",
    "{folder} is not what {spec} compiles to: {found}",
    "run `protoc compile {spec}` and commit the result",
    "The package is what runs and what is sealed; the spec is what people read and sign. They must say the same.",
    "a spec changed after it was compiled",
)
CANNOT_WRITE = Kind(
    "E0906",
    "cannot-write-package",
    "error",
    "{folder} cannot be written: {found}",
    "check that the folder exists, is writable and that there is space left",
    "A package is written beside its place first and then moved there as a whole; nothing was changed.",
    "a folder without the permission to write",
)

KINDS: tuple[Kind, ...] = (EDITED, FOREIGN_FILE, NOT_A_PACKAGE, SAME_PACKAGE, STALE, CANNOT_WRITE)
