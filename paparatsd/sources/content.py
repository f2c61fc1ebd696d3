"""What a file's content says: its encoding, and whether a person wrote it.

One policy for bytes to text: UTF-8 (with or without mark), UTF-16 and UTF-32 by their marks,
UTF-16 without a mark when its zero bytes betray it, else a single-byte Western encoding when the
rest looks like text. A zero byte in anything else means binary.
"""

from __future__ import annotations

import codecs
import re

from paparatsd.model import Skip

_SAMPLE_BYTES = 8192
_BLOB_MIN_CHARS = 512
_LONG_LINE_CHARS = 5000
_AVERAGE_LINE_CHARS = 1000
_HEADER_CHARS = 4096
_HEADER_LINES = 40

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What never stands in text: the C0 range without \a \b \t \n \v \f \r \e, and DEL.
_CONTROL = bytes([*range(7), *range(14, 27), *range(28, 32), 127])
_HIGH = bytes(range(128, 256))
_C1 = bytes(range(128, 160))

_DATA_SUFFIXES = (".json", ".jsonl", ".ndjson", ".geojson", ".csv", ".tsv", ".svg", ".xml")
_FREE_SUFFIXES = (".ipynb",)  # pictures in its outputs are long lines; its cells are not
_PROSE_SUFFIXES = (".md", ".markdown", ".mdx", ".rst", ".adoc", ".txt")
_SPACE = re.compile(r"\s+")
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/=_-]+")

_COMMENT = r"^[ \t]*(?:/[/*]|\*|#|--|;|<!--|%|\{-|\(\*|\"\"\"|@?rem\b).{0,200}?"
_AUTO = r"\b(?:auto[- ]?|automatically )generated\b"
_HANDS_OFF = r"\b(?:do not|don't) (?:edit|modify|change)\b"
_GENERATED = re.compile(
    rf"{_COMMENT}(?P<marker>\bCode generated\b.{{0,200}}?\bDO NOT EDIT\b"
    r"|(?<![\w`'\"])@generated\b(?!['\"`])"
    rf"|{_AUTO}.{{0,200}}?{_HANDS_OFF}|{_HANDS_OFF}.{{0,200}}?{_AUTO}"
    r"|\bThis (?:file|code) (?:is|was|has been) (?:auto[- ]?|automatically )?generated"
    r" (?:by|from|using|with)\b"
    r"|<auto-?generated)",
    re.IGNORECASE | re.MULTILINE,
)


def decode(data: bytes) -> str | Skip:
    """Return the text, or BINARY or UNDECODABLE."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], encoding)
    if b"\0" in data:
        encoding_guess = _guess_utf16(data)
        return Skip.BINARY if encoding_guess is None else _strict(data, encoding_guess)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _decode_western(data)
    return Skip.BINARY if _is_mostly_control(data) else text


def is_minified(path: str, text: str) -> bool:
    """Say whether the text is a blob or was packed by a tool, judged by its lines."""
    name = path.lower()
    if len(text) < _BLOB_MIN_CHARS or name.endswith(_FREE_SUFFIXES):
        return False
    if name.endswith(_DATA_SUFFIXES):
        return _longest_line(text) > _LONG_LINE_CHARS
    if _is_blob(text):
        return True
    if len(text) / (text.count("\n") + 1) > _AVERAGE_LINE_CHARS:
        return not (name.endswith(_PROSE_SUFFIXES) and _reads_like_prose(text))
    long_chars = sum(
        len(line)
        for line in text.splitlines()
        if len(line) > _LONG_LINE_CHARS and not _reads_like_prose(line)
    )
    # A single embedded picture or table in a long hand-written file does not make it a blob.
    return long_chars > 0.2 * len(text)


def find_generated_marker(path: str, text: str) -> str:
    """Return the words in the head of a file by which a generator marks its output, or ""."""
    if path.lower().endswith(_PROSE_SUFFIXES):
        return ""
    head = "\n".join(text[:_HEADER_CHARS].splitlines()[:_HEADER_LINES])
    found = _GENERATED.search(head)
    return " ".join(found["marker"].split())[:80] if found else ""


def _strict(data: bytes, encoding: str) -> str | Skip:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return Skip.UNDECODABLE


def _guess_utf16(data: bytes) -> str | None:
    """Return the byte order of UTF-16 without a mark: one half of the bytes is mostly zero."""
    sample = data[: _SAMPLE_BYTES & ~1]
    half = len(sample) // 2
    if len(data) % 2 or half < 4:
        return None
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd > 0.7 * half and even == 0:
        return "utf-16-le"
    if even > 0.7 * half and odd == 0:
        return "utf-16-be"
    return None


def _decode_western(data: bytes) -> str | Skip:
    if _is_mostly_control(data):
        return Skip.BINARY
    high = len(data) - len(data.translate(None, _HIGH))
    if high > max(64, 0.3 * len(data)):
        return Skip.UNDECODABLE
    if len(data) != len(data.translate(None, _C1)):
        # These are control characters in latin-1, and quotes and dashes in its Windows form.
        try:
            return data.decode("cp1252")
        except UnicodeDecodeError:
            return data.decode("latin-1")
    return data.decode("latin-1")


def _is_mostly_control(data: bytes) -> bool:
    controls = len(data) - len(data.translate(None, _CONTROL))
    return controls > 0.005 * len(data) + 2


def _longest_line(text: str) -> int:
    return max((len(line) for line in text.splitlines()), default=0)


def _is_blob(text: str) -> bool:
    spaces = len(text) - len(_SPACE.sub("", text))
    if spaces >= 0.02 * len(text):
        return False
    return len(_NOT_BASE64.sub("", text)) > 0.95 * len(text)


def _reads_like_prose(line: str) -> bool:
    """Words with spaces between them, or a script that does not use spaces."""
    spaces = line.count(" ") + line.count("\t")
    if spaces > 0.1 * len(line):
        return True
    return sum(1 for character in line if ord(character) > 0x2E7F) > 0.3 * len(line)
