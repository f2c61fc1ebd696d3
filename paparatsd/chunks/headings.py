"""Headings and fenced blocks of prose formats, by one pass over the lines.

Every reader returns an `Outline`: headings in file order with their level (1 is the highest), and
the blocks that must not be read as prose nor be cut without need.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from paparatsd.chunks.frontmatter import FrontMatter, read_front_matter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MAX_TITLE_CHARS = 120
CERTAIN_HEADINGS = 3
"""So many titles of one form are no accident: no other form is tried on plain text."""

_ATX = re.compile(r" {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<title>.*?))??(?:[ \t]+#+)?[ \t\r]*$")
_SETEXT = re.compile(r" {0,3}(?:=+|-{2,})[ \t\r]*$")
_PROSE = re.compile(r" {0,3}[^\s>#|=\-*+`~<]")
_FENCE = re.compile(r"[ \t>]*(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)$")
_RST_LINE = re.compile(r"(?P<mark>[=\-`:'\"~^_*+#<>.!$%&,;?@/\\|])(?P=mark){2,}[ \t\r]*$")
_RST_MARKS = frozenset("=-`:'\"~^_*+#<>.!$%&,;?@/\\|")
_ADOC = re.compile(r"(?P<marks>={1,6}|#{1,6})[ \t]+(?P<title>\S.*?)[ \t\r]*$")
_ADOC_FENCE = re.compile(r"(?P<fence>-{4,}|\.{4,}|={4,}|`{3,}|\+{4,}|/{4,}|\|={3,})[^\s]*[ \t\r]*$")
_ADOC_LEVELS = "=-~^+"
_ORG = re.compile(r"(?P<marks>\*+)[ \t]+(?P<title>\S.*?)[ \t\r]*$")
_ORG_BLOCK = re.compile(r"[ \t]*#\+(?P<which>begin|end)_", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*(?:\s[^()]*)?\)")
_TARGET = re.compile(
    r":[\w:+-]+:`(?P<role>[^`<]+?)(?:\s*<[^`<>]*>)?`|`(?P<text>[^`<]+?)\s*<[^`<>]*>`__?"
    r"|\[\[(?:[^\[\]]+\]\[)(?P<org>[^\[\]]+)\]\]|<<[^<>,]+,\s*(?P<ref>[^<>]+)>>"
)
"""Links and roles of reStructuredText, Org and AsciiDoc; their text is in one of the groups."""
_INLINE = re.compile(r"\{/\*.*?\*/\}|[`*]|</?\w+[^<>]*>|\[\[[^\[\]]*\]\]|\{\s*[#.:][^{}]*\}")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: the row it begins in, the first row after it, its level and its plain title."""

    row: int
    body: int
    level: int
    title: str


@dataclass(slots=True)
class Outline:
    """What a reader found below the front matter."""

    headings: list[Heading] = field(default_factory=list)
    fences: list[tuple[int, int]] = field(default_factory=list)
    matter: FrontMatter = field(default_factory=FrontMatter)

    @property
    def front(self) -> int:
        """The row after the front matter; 0 when there is none."""
        return self.matter.rows


def read_outline(language: str, lines: Sequence[str]) -> Outline:
    """Read the outline of a document in one of the prose languages, or of plain text."""
    outline = Outline(matter=read_front_matter(lines))
    READERS[language](lines, outline)
    return outline


def plain_title(title: str) -> str:
    """Take links, code marks and emphasis off a heading's text."""
    plain = title[:500]
    if not plain.isalnum():
        if "`" in plain or "[[" in plain or "<<" in plain:
            plain = _TARGET.sub(lambda found: found[found.lastgroup or 0], plain)
        plain = _INLINE.sub("", _LINK.sub(r"\1", plain))
    return " ".join(plain.split())[:MAX_TITLE_CHARS].strip()


def _read_markdown(lines: Sequence[str], outline: Outline) -> None:
    opened: tuple[int, str] | None = None
    paragraph = False
    for row in range(outline.front, len(lines)):
        line = lines[row]
        fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if opened is not None:
            if fence is not None and _closes(opened[1], fence["fence"], fence["info"]):
                outline.fences.append((opened[0], row))
                opened = None
            continue
        if fence is not None:
            opened, paragraph = (row, fence["fence"]), False
            continue
        atx = _ATX.match(line) if "#" in line else None
        if atx is not None:
            title = plain_title(atx["title"] or "")
            outline.headings.append(Heading(row, row + 1, len(atx["marks"]), title))
            paragraph = False
        elif paragraph and _SETEXT.match(line) is not None:
            level = 1 if "=" in line else 2
            outline.headings.append(Heading(row - 1, row + 1, level, plain_title(lines[row - 1])))
            paragraph = False
        else:
            # Only a paragraph of one line becomes a heading: `---` below more is a rule.
            blank_above = row == outline.front or not lines[row - 1].strip()
            paragraph = blank_above and _PROSE.match(line) is not None
    if opened is not None:
        outline.fences.append((opened[0], len(lines) - 1))


def _closes(opening: str, fence: str, info: str) -> bool:
    return fence[0] == opening[0] and len(fence) >= len(opening) and not info.strip()


def _read_rst(lines: Sequence[str], outline: Outline) -> None:
    styles: list[tuple[str, bool]] = []
    row = outline.front
    while row < len(lines) - 1:
        under = lines[row + 1]
        if under[:1] not in _RST_MARKS:
            row += 1
            continue
        title = lines[row]
        match = _RST_LINE.match(under)
        over = row > 0 and lines[row - 1].rstrip() == under.rstrip()
        titled = title.strip() and _RST_LINE.match(title) is None
        inset = title[:1].isspace() and not over
        if match is None or inset or not titled or len(under.rstrip()) < len(title.rstrip()):
            row += 1
            continue
        style = (match["mark"], over)
        if style not in styles:
            styles.append(style)
        first = row - 1 if over else row
        level = styles.index(style) + 1
        outline.headings.append(Heading(first, row + 2, level, plain_title(title)))
        row += 2


def _read_asciidoc(lines: Sequence[str], outline: Outline) -> None:
    opened: tuple[int, str] | None = None
    for row in range(outline.front, len(lines)):
        line = lines[row]
        fence = _ADOC_FENCE.match(line)
        if opened is not None:
            if fence is not None and fence["fence"] == opened[1]:
                outline.fences.append((opened[0], row))
                opened = None
            continue
        level = _underlined(lines, row, outline)
        if level:
            title = plain_title(lines[row - 1])
            outline.headings.append(Heading(row - 1, row + 1, level, title))
            continue
        if fence is not None:
            opened = (row, fence["fence"])
            continue
        match = _ADOC.match(line)
        if match is not None:
            title = plain_title(match["title"])
            outline.headings.append(Heading(row, row + 1, len(match["marks"]), title))
    if opened is not None:
        outline.fences.append((opened[0], len(lines) - 1))


def _underlined(lines: Sequence[str], row: int, outline: Outline) -> int:
    """Return the level of an AsciiDoc title of two lines of which `row` is the second, else 0.

    The underline is as long as the title, give or take two, and nothing but an anchor or a blank
    line stands above: what is otherwise the fence of a listing.
    """
    under = lines[row].rstrip()
    level = _ADOC_LEVELS.find(under[:1]) + 1 if under else 0
    if not level or row <= outline.front or under != under[0] * len(under) or len(under) < 3:
        return 0
    title = lines[row - 1].rstrip()
    above = lines[row - 2].strip() if row - 2 >= outline.front else ""
    fits = title[:1].isalnum() and abs(len(title) - len(under)) <= 2
    return level if fits and (not above or above.startswith(("[", "//"))) else 0


def _read_org(lines: Sequence[str], outline: Outline) -> None:
    opened = -1
    for row in range(outline.front, len(lines)):
        line = lines[row]
        block = _ORG_BLOCK.match(line)
        if block is not None:
            if block["which"].lower() == "begin" and opened < 0:
                opened = row
            elif opened >= 0:
                outline.fences.append((opened, row))
                opened = -1
            continue
        match = _ORG.match(line) if opened < 0 else None
        if match is not None:
            title = plain_title(match["title"])
            outline.headings.append(Heading(row, row + 1, min(len(match["marks"]), 9), title))


def _read_plain(lines: Sequence[str], outline: Outline) -> None:
    """Read plain text by the marks it uses most: underlined titles, `== Title`, `# Title`."""
    for reader in (_read_rst, _read_asciidoc, _read_markdown):
        tried = Outline(matter=outline.matter)
        reader(lines, tried)
        if len(tried.headings) > len(outline.headings):
            outline.headings, outline.fences = tried.headings, tried.fences
        if len(outline.headings) >= CERTAIN_HEADINGS:
            return


READERS: Mapping[str, Callable[[Sequence[str], Outline], None]] = MappingProxyType(
    {
        "markdown": _read_markdown,
        "rst": _read_rst,
        "asciidoc": _read_asciidoc,
        "org": _read_org,
        "text": _read_plain,
    }
)
