"""What a document says of itself: title, address, date, and for whom it is.

Front matter comes first, then the fields that a format has of its own (docinfo of
reStructuredText, header attributes of AsciiDoc, keywords of Org), then the headings.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from paparatsd.chunks.headings import plain_title
from paparatsd.chunks.written_dates import read_date
from paparatsd.model import DocumentHead
from paparatsd.naming import UNLABELLED, is_audience

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paparatsd.chunks.headings import Heading, Outline

MAX_TITLE_CHARS = 200
MAX_LINK_CHARS = 2_000
MAX_REFUSED_CHARS = 80
MIN_TEXT_WORDS = 5
HEAD_ROWS = 100
"""Fields of a format stand within so many rows of the top."""

TITLES = ("title", "doc_title", "page_title", "doctitle")
LINKS = ("source_url", "url", "source_link", "link", "canonical_url")
DATES = (
    "last_modified", "last_modified_at", "updated_at", "modified", "date",
    "lastmod", "last_updated", "updated", "revdate", "docdate",
)  # fmt: skip

_FIELD = re.compile(r":(?P<key>[A-Za-z][\w -]{0,40}):(?:[ \t]+(?P<value>\S.*))?$")
_KEYWORD = re.compile(r"#\+(?P<key>[A-Za-z_]{1,40}):[ \t]*(?P<value>\S.*)$")
_REVISION = re.compile(r"v?\d[\w.]*,[ \t]*(?P<date>[^:]{6,40})|(?P<day>\d{4}-\d\d-\d\d)\b")
_HTML_TITLE = re.compile(r"<h1\b[^<>]{0,300}>(?P<title>.{1,400}?)</h1>", re.IGNORECASE | re.DOTALL)
_HIDDEN_TITLE = re.compile(r"\[//\]: # \(title: (?P<title>[^\n]{1,300})\)[ \t]*$", re.MULTILINE)
_NUMBER = re.compile(r"[\[(]?v?\d+\.\d|unreleased\b|[\[(]unreleased", re.IGNORECASE)


def read_head(path: str, language: str, lines: Sequence[str], outline: Outline) -> DocumentHead:
    """Read what a document says of itself; what it does not say is left empty."""
    fields = dict(outline.matter.fields)
    unread = outline.matter.unread
    for key, value in _own_fields(language, lines, outline):
        if key == "audience" and value and fields.get(key, value) != value:
            unread = unread or f"{fields[key]}, {value}"
        fields.setdefault(key, value)
    audience, refused = _audience(fields.get("audience", ""), unread)
    return DocumentHead(
        title=_title(path, fields, lines, outline),
        link=next((link for link in _named(fields, LINKS) if _is_web_address(link)), ""),
        modified=next((day for text in _named(fields, DATES) if (day := read_date(text))), None),
        audience=audience,
        refused=refused,
    )


def title_of_path(path: str) -> str:
    """Return the name of a file without its extension."""
    name = path.rsplit("/", 1)[-1]
    return name.rpartition(".")[0] or name


def heading_title(lines: Sequence[str], outline: Outline) -> str:
    """Return the first heading of the highest level, or "" when it is no title of the whole.

    Of several headings of that level it is one only when nothing to read stands above it; and no
    release number is one.
    """
    named = [heading for heading in outline.headings if heading.title]
    if not named:
        return ""
    level = min(heading.level for heading in named)
    highest = [heading for heading in named if heading.level == level]
    title = highest[0].title
    if _NUMBER.match(title) is not None:
        return ""
    if len(highest) == 1 or not _says_something(lines[outline.front : highest[0].row]):
        return title
    return ""


def _says_something(lines: Sequence[str]) -> bool:
    """Say whether rows hold words to read, and not only comments, badges and lists of contents."""
    hidden = False
    for line in lines:
        row = line.strip()
        hidden = (hidden or row.startswith("<!--")) and "-->" not in row
        if not hidden and len(row.split()) >= MIN_TEXT_WORDS and row[0].isalnum():
            return True
    return False


def _title(path: str, fields: Mapping[str, str], lines: Sequence[str], outline: Outline) -> str:
    for text in _named(fields, TITLES):
        title = plain_title(text)
        if title:
            return title[:MAX_TITLE_CHARS]
    title = "" if _has_title(outline) else _unmarked_title(lines, outline)
    return title or heading_title(lines, outline) or title_of_path(path)


def _has_title(outline: Outline) -> bool:
    return any(heading.level == 1 for heading in outline.headings)


def _unmarked_title(lines: Sequence[str], outline: Outline) -> str:
    """Return the `<h1>` or the comment with the title above the first heading, if there is one."""
    end = outline.headings[0].row if outline.headings else HEAD_ROWS
    top = lines[outline.front : min(end, outline.front + HEAD_ROWS)]
    if not any(mark in line for line in top for mark in ("<h1", "<H1", "# (title:")):
        return ""
    text = "\n".join(top)
    found = _HTML_TITLE.search(text) or _HIDDEN_TITLE.search(text)
    return plain_title(found["title"]) if found is not None else ""


def _named(fields: Mapping[str, str], keys: Iterable[str]) -> Iterable[str]:
    return (fields[key] for key in keys if fields.get(key))


def _audience(label: str, unread: str) -> tuple[str, str]:
    """Return the label in force and, when it had to be refused, what was written instead."""
    if unread:
        return UNLABELLED, unread[:MAX_REFUSED_CHARS]
    if not label or is_audience(label):
        return label, ""
    return UNLABELLED, label[:MAX_REFUSED_CHARS]


def _is_web_address(text: str) -> bool:
    if len(text) > MAX_LINK_CHARS or not text.isprintable() or " " in text:
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc


def _own_fields(language: str, lines: Sequence[str], outline: Outline) -> Iterable[tuple[str, str]]:
    """Return the fields that the format itself has at the top of a document."""
    top = lines[outline.front : outline.front + HEAD_ROWS]
    if language == "org":
        found = (_KEYWORD.match(line.rstrip()) for line in top)
        return [(one["key"].lower(), one["value"]) for one in found if one is not None]
    if language in ("rst", "asciidoc", "text"):
        return list(_field_list(language, lines, outline))
    return ()


def _field_list(language: str, lines: Sequence[str], outline: Outline) -> Iterable[tuple[str, str]]:
    """Yield `:key: value` lines above the title and right below it."""
    titled = outline.headings[0] if outline.headings else None
    row, end = outline.front, min(len(lines), outline.front + HEAD_ROWS)
    began = False
    while row < end:
        if titled is not None and row == titled.row:
            row, began = titled.body, False
            continue
        line = lines[row].rstrip()
        field = _FIELD.match(line)
        revision = _REVISION.match(line) if language == "asciidoc" else None
        if field is not None:
            began = True
            key = field["key"].strip().lower().replace("-", "_")
            yield key, " ".join((field["value"] or "").split())
        elif revision is not None:
            yield "revdate", revision["date"] or revision["day"]
        elif _ends_fields(language, line, began=began, titled=titled, row=row):
            return
        row += 1


def _ends_fields(
    language: str, line: str, *, began: bool, titled: Heading | None, row: int
) -> bool:
    """Say whether a line that is no field ends the list of fields it stands in."""
    above = titled is not None and row < titled.row
    if above:
        return False
    if not line.strip():
        # A blank line ends the header of AsciiDoc, and docinfo once it has begun.
        return began or language == "asciidoc"
    # What follows a field is indented; an author's line follows the title of AsciiDoc.
    return language != "asciidoc" and not (began and line[:1].isspace())
