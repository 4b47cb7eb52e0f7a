"""E10xx: faults of rows, and of the protocol file that says what they must be.

Every message about a row begins with the table, the row's key where it has one, and the field: `{where}`. The example
of a kind is the content of a file for the table of the error page: `case: text, words: int, score: decimal,
route: [billing, refund], opened: time, day: date, sha: digest, tags: set of text`.
"""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind, Severity


def _kind(id_: str, name: str, message: str, hint: str, why: str, example: str, severity: Severity = "error") -> Kind:
    return Kind(id_, name, severity, message, hint, why, example)


BAD_PROTOCOL = _kind(
    "E1001",
    "bad-protocol-file",
    "protocol.json cannot be read ({found}); expected the format {expected}",
    "compile the protocol again with `protoc compile`; the file is generated and not meant to be edited",
    "A generated package carries its protocol as canonical JSON. A file in another format, or a damaged one, would "
    "leave the runner without the tables and rules that it must follow, so nothing is read from it.",
    '{"format": "protoc-identity/0", "protocol": {}}',
)
MISSING_FILE = _kind(
    "E1002",
    "missing-file",
    "there are no rows for table {table}: expected {expected} in {folder}",
    "put the file there, or name another one with `file:` in the spec; a table without rows is an empty .jsonl file",
    "Denominators come from the tables that the protocol declares. A file that is not there is not a table without "
    "rows: it may have been forgotten, and every count over it would be wrong without anybody noticing.",
    "(a folder without cases.jsonl)",
)
TWO_FILES = _kind(
    "E1003",
    "two-files-for-a-table",
    "table {table} has several files in {folder}: {found}",
    "keep one of them",
    "A table has one source. With two files, which one is read would depend on a rule that nobody wrote down.",
    "(a folder with cases.jsonl and cases.csv)",
)
UNSUPPORTED_SUFFIX = _kind(
    "E1004",
    "unsupported-file",
    "table {table} has only {found} in {folder}, which cannot be read; expected {expected}",
    "write the rows as JSON Lines (one object a line), CSV with a header, or Parquet",
    "Rows are read from three formats whose values can be checked exactly. Other formats carry guesses about types.",
    "(a folder with cases.xlsx only)",
)
UNSAFE_PATH = _kind(
    "E1005",
    "path-leaves-folder",
    "the file of table {table} lies outside of the data folder: {found}",
    "keep the data of a protocol in its folder, and name it there without `..`, a leading `/` or a link to elsewhere",
    "A sealed file is identified by its place under the protocol's folder. A path or link that leads out of it would "
    "read something that a clone of the repository does not have.",
    "(a link from cases.jsonl to a file elsewhere)",
)
UNREADABLE = _kind(
    "E1006",
    "unreadable-rows",
    "the rows of table {table} cannot be read: {found}",
    "check that the file is complete and of the kind that its name says",
    "The file could not be opened, or its bytes are not of the format that its suffix names: an empty CSV file has no "
    "header, a Parquet file that was cut off has no footer.",
    "(an empty cases.csv)",
)
BAD_ENCODING = _kind(
    "E1007",
    "invalid-utf8",
    "{where}: the bytes are not UTF-8 ({found})",
    "save the file as UTF-8",
    "Text is compared and hashed code point by code point; bytes in another encoding have no code points that two "
    "machines would agree on.",
    '{"case": "\\xff"}',
)
BAD_JSON = _kind(
    "E1008",
    "invalid-json",
    "{where}: this line is not JSON: {found}",
    "write one JSON object per line; control characters inside texts are escaped (`\\n`, `\\t`)",
    "A JSON Lines file has one complete object on each line. A line that does not parse could be half a row, two rows, "
    "or a note; it is never skipped.",
    '{"case": "c1", ',
)
NOT_AN_OBJECT = _kind(
    "E1009",
    "row-is-not-an-object",
    "{where}: found {found}, expected an object with the columns {expected}",
    "write each row as an object: a name and a value for every column",
    "A row names its columns, so that no value can stand in the wrong place.",
    '["c1", 3]',
)
LINE_TOO_LONG = _kind(
    "E1010",
    "line-too-long",
    "{where}: the line has more than {expected} bytes",
    "put large texts into files of their own and their digests into the rows",
    "A line without end usually means that the file is not JSON Lines; reading it would take all memory first.",
    "(a line of 64 MiB)",
)
TOO_DEEP = _kind(
    "E1011",
    "too-deeply-nested",
    "{where}: values are nested more than {expected} levels deep",
    "flatten the value, or keep it as text",
    "No table needs such depth, and parsers fail on it in different ways.",
    '{"case": [[[[...]]]]}',
)
DUPLICATE_FIELD = _kind(
    "E1012",
    "duplicate-json-key",
    "{where}: the key {found} is written twice in one object",
    "remove one of them",
    "JSON readers disagree about which of two equal keys counts: some keep the first, some the last.",
    '{"case": "c1", "case": "c2", "words": 3}',
)
UNKNOWN_COLUMN = _kind(
    "E1013",
    "undeclared-column",
    "{where}: unknown column {found}; table {table} has {expected}",
    "{hint}",
    "A column that the protocol does not declare is read by nothing. A misspelled one would leave its real column "
    "empty, so both are told.",
    '{"case": "c1", "words": 3, "wrods": 3}',
)
MISSING_COLUMN = _kind(
    "E1014",
    "missing-column",
    "{where}: column {field} is not there; expected {expected}",
    "write every column in every row; where a value is undefined, write null (and declare the column with `?`)",
    "An absent key and a null look alike to many readers. Here absence is a fault and null is a statement.",
    '{"case": "c1"}',
)
NULL_VALUE = _kind(
    "E1015",
    "null-not-allowed",
    "{where}: found null, expected {expected}",
    "give the value; or declare the column optional (`?`, or null among the members of an enum) and decide in the "
    "definitions what an undefined value means",
    "A null is undefined, and undefined spreads into every rate that reads it. The protocol must allow it first.",
    '{"case": "c1", "words": null}',
)
WRONG_TYPE = _kind(
    "E1016",
    "wrong-value-type",
    "{where}: found {found}, expected {expected}",
    "write the value as {expected}",
    "Values are never converted: `true` is not 1, a number is not a text. A conversion would hide that the file holds "
    "something else than its author believes.",
    '{"case": "c1", "words": true}',
)
QUOTED_NUMBER = _kind(
    "E1017",
    "quoted-number",
    "{where}: found the text {found}, expected {expected}",
    "remove the quotes around the number",
    "A number in quotes is a text. Readers that convert it also convert what only looks like a number.",
    '{"case": "c1", "words": "3"}',
)
NOT_FINITE = _kind(
    "E1018",
    "not-a-finite-number",
    "{where}: found {found}, expected a finite number",
    "write null where there is no value (and declare the column with `?`)",
    "NaN compares false with everything and an infinity passes every lower limit, so one such value can disarm a gate.",
    '{"case": "c1", "words": 3, "score": NaN}',
)
INT_RANGE = _kind(
    "E1019",
    "integer-out-of-range",
    "{where}: found {found}, expected an integer between -2^53 and 2^53",
    "declare an identifier as text and write it in quotes",
    "Larger integers are silently rounded by many JSON readers, so two of them could become one.",
    '{"case": "c1", "words": 9007199254740993}',
)
NOT_AN_INTEGER = _kind(
    "E1020",
    "fraction-where-integer",
    "{where}: found {found}, expected an integer",
    "write a whole number without point or exponent; or declare the column as decimal",
    "A count is a whole number. `3.0` is written by tools that have lost the type on the way.",
    '{"case": "c1", "words": 3.0}',
)
NUMBER_TOO_LONG = _kind(
    "E1021",
    "number-too-long",
    "{where}: the number {found} has too many digits; expected at most {expected}",
    "write the number with fewer digits",
    "Numbers are kept exactly. One with a huge exponent would fill the memory before it could be compared.",
    '{"case": "c1", "words": 3, "score": 1e999999}',
)
UNKNOWN_MEMBER = _kind(
    "E1022",
    "value-not-a-member",
    "{where}: found {found}, expected one of {expected}",
    "{hint}",
    "An enum names all the values that can occur. Another one would fall through every condition that the protocol "
    "has written.",
    '{"case": "c1", "words": 3, "route": "refunds"}',
)
BAD_TIME = _kind(
    "E1023",
    "invalid-time",
    "{where}: found {found}, expected a time with its zone, such as 2026-08-10T12:30:00Z",
    "write date, `T`, time of day (at most six decimals) and the zone: `Z` or an offset",
    "A time without a zone names a different moment on every machine.",
    '{"case": "c1", "words": 3, "opened": "2026-08-10 12:30"}',
)
BAD_DATE = _kind(
    "E1024",
    "invalid-date",
    "{where}: found {found}, expected a date such as 2026-08-10",
    "write year, month and day with two digits each, as in 2026-08-10",
    "Other spellings of a date are read differently in different countries.",
    '{"case": "c1", "words": 3, "day": "10.8.2026"}',
)
BAD_DIGEST = _kind(
    "E1025",
    "invalid-digest",
    "{where}: found {found}, expected 40 or 64 lower-case hexadecimal digits",
    "write the whole SHA-256 (64 digits, `sha256:` before it is allowed) or git commit (40 digits)",
    "Digests are compared exactly; one that is shortened or in capitals never equals the real one.",
    '{"case": "c1", "words": 3, "sha": "d7915c9b"}',
)
LONE_SURROGATE = _kind(
    "E1026",
    "lone-surrogate",
    "{where}: the text holds half of a surrogate pair ({found})",
    "write the character itself, or both halves of the pair",
    "Half a pair is not a character, and cannot be written as UTF-8 again.",
    '{"case": "\\ud800", "words": 3}',
)
CONTROL_CHARACTER = _kind(
    "E1027",
    "control-character-in-key",
    "{where}: the key holds the invisible character {found}",
    "remove the character",
    "Two keys that differ only in an invisible character look the same to a reader and are two cases to a machine.",
    '{"case": "c1\\u0000", "words": 3}',
)
REPEATED_MEMBER = _kind(
    "E1028",
    "repeated-set-member",
    "{where}: the set names {found} twice",
    "name each member once, or declare the column as a list",
    "A set has no repetition; a repeated member is usually a merge of two lists that went wrong.",
    '{"case": "c1", "words": 3, "tags": ["a", "a"]}',
)
DUPLICATE_KEY = _kind(
    "E1029",
    "duplicate-row-key",
    "table {table}: two rows have the key {found}",
    "remove one of the rows; if repetition is part of the study, declare `duplicates: judged by gates.NAME`",
    "A key names one row. With two, every reference to it would count twice or pick one at random.",
    '{"case": "c1", "words": 3}\n{"case": "c1", "words": 4}',
)
UNKNOWN_REFERENCE = _kind(
    "E1030",
    "unknown-reference",
    "{where}: found {found}, which is no {key_name} of table {expected}",
    "{hint}",
    "A reference names a row of another table. One that leads nowhere belongs to a case that no denominator counts.",
    '{"case": "c1", "limit": 0.5}',
)
BAD_HEADER = _kind(
    "E1031",
    "invalid-csv-header",
    "the header of table {table} names {found}",
    "name each column of the table once in the first line",
    "The first line of a CSV file says which cell belongs to which column; a repeated or empty name leaves that open.",
    "case,words,words\nc1,3,3\n",
)
RAGGED_ROW = _kind(
    "E1032",
    "ragged-csv-row",
    "{where}: the row has {found} cells, expected {expected}",
    "write one cell per column; put cells that hold a comma into double quotes",
    "A row with too few or too many cells has shifted values, and which of them shifted cannot be known.",
    "case,words\nc1,3,4\n",
)
PARQUET_TYPE = _kind(
    "E1033",
    "parquet-type",
    "table {table}: column {field} has the type {found}, expected {expected}",
    "write the column with that type",
    "A Parquet column has one type for all rows; it must be one that holds the declared values exactly.",
    "(a column of floats for words: int)",
)
NO_ROWS = _kind(
    "E1034",
    "no-rows",
    "table {table} has no rows",
    "put the cases into the file",
    "Every rate over no cases is undefined, and a run without cases says nothing; it is an error and not a result.",
    "",
)
SEVERAL_RECORDS = _kind(
    "E1035",
    "record-has-several-rows",
    "record {table} has {found} rows, expected at most one",
    "keep the row that was observed; what has many rows is a table",
    "A record is read like a single value. With two rows there would be two answers.",
    '{"time": "2026-08-10T12:00:00Z"}\n{"time": "2026-08-11T12:00:00Z"}',
)
MORE_FAULTS = _kind(
    "N1036",
    "more-faults",
    "{found} more faults in table {table} are not shown",
    "mend the first ones; they often have one cause",
    "A wrong column makes a fault in every row. The first ones tell what is wrong, and the count how far it goes.",
    "(sixty rows without words)",
    "note",
)
EMPTY_LINE = _kind(
    "E1037",
    "empty-line",
    "{where}: this line is empty",
    "remove the line",
    "A line is a row. An empty one in the middle of a file is where a row was lost or the file was cut and joined.",
    '{"case": "c1", "words": 3}\n\n{"case": "c2", "words": 3}\n',
)
BAD_CSV = _kind(
    "E1038",
    "invalid-csv",
    "{where}: the CSV cannot be read: {found}",
    "put cells that hold a comma, a quote or a line break into double quotes, and double the quotes inside",
    "A quote that does not close swallows all the rows after it.",
    'case,words\n"c1"x,3\n',
)
TOO_MANY_ROWS = _kind(
    "E1042",
    "too-many-rows",
    "table {table} has {found} rows, more than the {expected} that one file may have",
    "split the table, or count in the data what need not be a row each",
    "Parquet can store billions of equal rows in a few kilobytes; reading them would take all memory first.",
    "(a Parquet file of 300 million rows)",
)
TWIN_KEY = _kind(
    "E1039",
    "twin-key",
    "table {table} has the key {found} twice, in two Unicode forms",
    "write all keys in one normal form (NFC), and remove one of the two rows",
    "An accented letter can be one character or a letter and an accent. Both are drawn alike, so two such keys are one "
    "case for everybody who reads them, and would be counted as two.",
    '{"case": "caf\\u00e9", "words": 3}\n{"case": "cafe\\u0301", "words": 3}\n',
)
ALIKE_KEYS = _kind(
    "W1040",
    "keys-look-alike",
    "table {table}: the key {found} looks like the key of another row",
    "give one of them another name, if they are meant to be two cases; mend the letter, if they are one",
    "Letters of different alphabets are drawn alike. Two keys that differ in nothing else are easily taken for one, "
    "and one of them may have been made that way.",
    '{"case": "a1", "words": 3}\n{"case": "\\u0430\\u0031", "words": 3}\n',
    "warning",
)
BLANK_KEY = _kind(
    "E1043",
    "blank-key",
    "table {table}: the key `{column}` of this row is blank",
    "give the row a key that can be read and written down",
    "A key names the row in every list, message and worksheet. One that is empty or made of spaces names nothing, "
    "and often stands where an export lost the id.",
    '{"case": " ", "words": 3}\n',
)
NOT_CHECKED = _kind(
    "N1041",
    "rows-not-checked",
    "table {table}: {found} rows were counted without being checked: only the columns {columns} were read",
    "score these rows once without --unchecked: keys, references and the other columns are then checked, too",
    "Millions of rows are scored fastest from counts of what the rules read. A key that is there twice, or a wrong "
    "value in a column that no rule reads, is only found by reading all of every row.",
    "`protoc score SPEC --data DIR --unchecked` where `answers.parquet` can be counted",
    "note",
)

KINDS: tuple[Kind, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
