"""Letters of other alphabets that most typefaces draw like a Latin one."""

from __future__ import annotations

_CYRILLIC = ("аеорсухіјѕһԁԛԝѵАВЕКМНОРСТХУІЈЅԚԜ", "aeopcyxijshdqwvABEKMHOPCTXYIJSQW")
_GREEK = ("οανυιρκχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "oavuipkxABEZHIKMNOPTYX")
_LATIN = ("ıɡ", "ig")
_LOOKS = {
    ord(letter): latin
    for letters, latins in (_CYRILLIC, _GREEK, _LATIN)
    for letter, latin in zip(letters, latins, strict=True)
}


def look(text: str) -> str:
    """The text in the letters that it looks like; the text itself where it is ASCII."""
    if text.isascii():
        return text
    import unicodedata

    return unicodedata.normalize("NFKC", text).translate(_LOOKS)


def composed(text: str) -> str:
    """The text in the one Unicode form in which all texts that are drawn alike by definition are equal (NFC)."""
    if text.isascii():
        return text
    import unicodedata

    return unicodedata.normalize("NFC", text)


def spelled(text: str) -> str:
    """What is not ASCII in a text, by name, since it cannot be told by its look: `U+0430 CYRILLIC SMALL LETTER A`."""
    import unicodedata

    return ", ".join(
        dict.fromkeys(f"U+{ord(c):04X} {unicodedata.name(c, '')}".rstrip() for c in text if not c.isascii())
    )
