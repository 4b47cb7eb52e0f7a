"""What is refused before a spec is read as a document: bytes, characters and YAML itself."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

UNREADABLE = Kind(
    "E0101",
    "unreadable-file",
    "error",
    "{file} cannot be read: {reason}",
    "give the path of a YAML file, or of the folder that holds protocol.yaml",
    "The file named on the command line does not exist, is a folder, or may not be read by this user.",
)
TOO_LARGE = Kind(
    "E0102",
    "file-too-large",
    "error",
    "the file has more than {limit} bytes, the most that a spec may have",
    "rows belong in data files beside the spec; only small listed tables stand in it",
    "A spec is read by people. The limit also keeps a hostile file from holding up the tool.",
)
NOT_UTF8 = Kind(
    "E0103",
    "not-utf8",
    "error",
    "byte {byte} is not UTF-8",
    "save the file as UTF-8",
    "A spec is UTF-8 text, so that every reader sees the same characters. Bytes that are not valid UTF-8, lone "
    "surrogates among them, are refused and never replaced.",
    "title: \udcff\n",
)
UTF16 = Kind(
    "E0104",
    "utf-16",
    "error",
    "the file is UTF-16 or UTF-32",
    "save the file as UTF-8",
    "YAML allows UTF-16, but a spec is UTF-8 only: one text, one encoding, one digest of the bytes.",
    "t\x00i\x00t\x00l\x00e\x00",
)
CONTROL = Kind(
    "E0105",
    "control-character",
    "error",
    "control character {char}",
    "delete it; a line ends in LF or CR LF",
    "Control characters have no place in a text that people sign: a terminal may hide or overwrite lines with them. "
    "An escape such as \\x07 in a quoted text is refused too.",
    "title: a\x08b\n",
)
INVISIBLE = Kind(
    "E0106",
    "invisible-character",
    "error",
    "invisible character {char}",
    "delete it; it cannot be seen, and can make the text read differently from what is compiled",
    "Bidirectional marks, zero-width characters, fillers, private-use and tag characters can make two different specs "
    "look the same, or one spec look like another. They are refused everywhere, in comments too.",
    "title: a\u202eb\n",
)
TAB = Kind(
    "E0107",
    "tab-indentation",
    "error",
    "a tab in the indentation",
    "indent with spaces",
    "YAML does not allow tabs to indent, since their width is not defined.",
    "protocol:\n\tid: x\n",
)
DIRECTIVE = Kind(
    "E0108",
    "yaml-directive",
    "error",
    "a YAML directive: a line may not start with %",
    "delete the line; a spec is YAML 1.2 and needs no directive",
    "`%YAML 1.1` would change what `no` and `010` mean, and `%TAG` what a tag means. Neither is needed.",
    "%YAML 1.1\n---\ntitle: x\n",
)
SEVERAL = Kind(
    "E0109",
    "several-documents",
    "error",
    "a second YAML document starts here",
    "one file holds one spec: move the rest into a file of its own",
    "Readers of YAML differ in what they do with several documents in one file; here there is exactly one.",
    "title: x\n---\ntitle: y\n",
)
SYNTAX = Kind(
    "E0110",
    "yaml-syntax",
    "error",
    "not valid YAML: {problem}",
    "{advice}",
    "The text cannot be read as YAML. The position is where reading stopped; the cause is often a little before it.",
    'title: "a \\q b"\n',
)
COLON = Kind(
    "E0111",
    "colon-in-value",
    "error",
    "a second `: ` in one value",
    "put the text in quotes, or on a line of its own under `{key}: >-`, indented",
    "In YAML a colon with a space behind it separates a key from its value, so an unquoted value cannot hold one. "
    "No formula needs a colon; words with one are quoted or written as a block.",
    "says: one thing: another\n",
)
INDICATOR = Kind(
    "E0112",
    "leading-indicator",
    "error",
    "a value that starts with {char} cannot go on like this",
    "{advice}",
    "In YAML a value that starts with a quote, a bracket or one of % @ ` * & ! | > has a meaning of its own. "
    "A formula can always be written without a leading indicator: in parentheses, the other way round, or as a block.",
    'is: "x" == name\n',
)
INDENTATION = Kind(
    "E0113",
    "bad-indentation",
    "error",
    "this line is not indented like its neighbours",
    "entries of one map or list start in the same column; what belongs to a key is indented further than the key",
    "YAML reads the structure from the indentation. A line that starts between two levels belongs to neither.",
    "a:\n    b: x\n  c: y\n",
)
NOT_CLOSED = Kind(
    "E0114",
    "not-closed",
    "error",
    "{what} is not closed",
    "close it, or write the value as a block without it",
    "A quote, bracket or brace was opened and the file, or the list, went on without the closing one.",
    "key: [a, b\n",
)
COMMENT_CUTS = Kind(
    "E0115",
    "comment-cuts-value",
    "error",
    "the value is cut off by ` #`, which starts a comment",
    "put the whole value in single quotes, or on a line of its own under `>-`",
    "In YAML a # with a space before it starts a comment, also inside the quotes of a formula. What follows would be "
    "left out in silence.",
    'is: name == "no #1"\n',
)
COMMA_CUTS = Kind(
    "E0116",
    "comma-cuts-value",
    "error",
    "the value is cut off by a comma, which ends a value inside {{...}} and [...]",
    "write the entry as a block: each key on its own line, indented",
    "Inside braces and brackets a comma ends the value, so a formula with a comma, such as f(a, b), falls into two. "
    "In block style no formula needs quotes.",
    "p: {is: wilson(a, b), says: x}\n",
)
ALIAS = Kind(
    "E0117",
    "anchor-or-alias",
    "error",
    "an anchor (&name) or alias (*name)",
    "write the value out where it is needed, or define it once under definitions and use its name",
    "Anchors and aliases hide what a reader has to see, and a few of them can stand for gigabytes. "
    "The language has names for what is used twice.",
    "a: &x 1\n",
)
MERGE = Kind(
    "E0118",
    "merge-key",
    "error",
    "a merge key (<<)",
    "write the entries out",
    "Merge keys copy entries from elsewhere, so that a reader does not see what holds. They are not part of YAML 1.2.",
    "a: {<<: {b: c}}\n",
)
TAG = Kind(
    "E0119",
    "tag",
    "error",
    "a tag ({tag})",
    "delete it: the schema of the spec says what each value is",
    "Tags tell a YAML reader to build objects of some type. A spec needs none: a value has the type of its place.",
    "a: !!int 3\n",
)
TOO_DEEP = Kind(
    "E0120",
    "nested-too-deep",
    "error",
    "nested deeper than {limit} levels",
    "no form of a spec is nested more than a few levels; look for brackets that are not closed",
    "The limit keeps a hostile file from holding up the tool.",
    "a: " + "[" * 45 + "\n",
)
TOO_MANY = Kind(
    "E0121",
    "too-many-nodes",
    "error",
    "more than {limit} keys and values",
    "rows belong in data files beside the spec",
    "The limit keeps a hostile file from holding up the tool.",
)
DUPLICATE_KEY = Kind(
    "E0122",
    "duplicate-key",
    "error",
    "`{key}` stands here for the second time in one map",
    "delete one of the two, or give one another name",
    "Many YAML readers keep the last of two equal keys and say nothing, so that a threshold can be there twice with "
    "two values. Here both places are shown.",
    "a: 1\nb: 2\na: 3\n",
)
KEY_NOT_TEXT = Kind(
    "E0123",
    "key-not-text",
    "error",
    "a map or list as a key",
    "a key is a name or a short text; put it in quotes if it starts with a bracket or brace",
    "YAML allows maps and lists as keys; a spec has no use for them.",
    "{a: b}: c\n",
)
KEY_NOT_NFC = Kind(
    "E0124",
    "key-not-nfc",
    "error",
    "the name {found} is not in Unicode form NFC",
    "write {expected} in composed letters",
    "The same letter can be stored as one character or as a letter and a combining mark. Names are compared character "
    "by character, so they are kept in the composed form (NFC).",
    "cafe\u0301: x\n",
)
TEXT_NOT_NFC = Kind(
    "W0125",
    "text-not-nfc",
    "warning",
    "the text {found} is not in Unicode form NFC",
    "write {expected} in composed letters, unless the data hold the decomposed form",
    "Two texts that look the same but are stored differently are not equal, and give the spec another digest.",
    "a: cafe\u0301\n",
)
EMPTY = Kind(
    "E0126",
    "empty-file",
    "error",
    "the file holds no spec",
    "start with `protoc: 1` and `protocol:`; `protoc init` writes a small one that compiles",
    "There is nothing in the file but white space or comments.",
    "# nothing yet\n",
)
NOT_A_MAP = Kind(
    "E0127",
    "not-a-map",
    "error",
    "the file holds {found}, not a map of sections",
    "start with `protoc: 1` and `protocol:`; `protoc init` writes a small one that compiles",
    "A spec is a map whose keys are its sections.",
    "- a\n- b\n",
)
EXPLICIT_KEY = Kind(
    "E0128",
    "explicit-key",
    "error",
    "a key that is written with `? `",
    "write `key: value` on one line",
    "YAML allows keys on lines of their own, marked with a question mark; a spec is written without them.",
    "? a\n: b\n",
)
ALIKE = Kind(
    "W0129",
    "words-look-alike",
    "warning",
    "`{found}` looks like another word of this file, but is written with other letters: {letters}",
    "write both with the same letters, or give one of them another name",
    "Letters of different alphabets are drawn alike. Two words that differ in nothing else are taken for one by "
    "everybody who reads the protocol.",
    "label: [wanted, w\u0430nted]\n",
)

KINDS = (
    UNREADABLE,
    TOO_LARGE,
    NOT_UTF8,
    UTF16,
    CONTROL,
    INVISIBLE,
    TAB,
    DIRECTIVE,
    SEVERAL,
    SYNTAX,
    COLON,
    INDICATOR,
    INDENTATION,
    NOT_CLOSED,
    COMMENT_CUTS,
    COMMA_CUTS,
    ALIAS,
    MERGE,
    TAG,
    TOO_DEEP,
    TOO_MANY,
    DUPLICATE_KEY,
    KEY_NOT_TEXT,
    KEY_NOT_NFC,
    TEXT_NOT_NFC,
    EMPTY,
    NOT_A_MAP,
    EXPLICIT_KEY,
    ALIKE,
)
