"""Files and lines that a question points to: paths, file names, frames of stack traces."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.chunks.languages import UNKNOWN, language_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MAX_PLACES = 12
"""The first frames of a trace tell most."""

_FRAMES = (
    re.compile(r'File "(?P<path>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<name>[^\s<>]+))?'),
    re.compile(
        r"\bat (?P<name>[\w.<>`$]+)\([^()\n]*\) in "
        r"(?P<path>(?:[A-Za-z]:)?[^:\n]+):line (?P<line>\d+)"
    ),
    re.compile(
        r"\bat (?:async |new )?(?P<name>[\w.$<>\[\]]+)(?: \[as [\w.]+\])? ?"
        r"\((?:[\w.+-]+://)?(?P<path>[^()\s:]+\.\w+)(?::(?P<line>\d+))?(?::\d+)?\)"
    ),
    re.compile(
        r"(?P<path>[^\s:'\"]+\.\w+):(?P<line>\d+):in [`'](?:[\w:]+[#.]|block in )*"
        r"(?P<name>[\w?!]+)'"
    ),
    re.compile(r"#\d+ (?P<path>[^\s()]+\.\w+)\((?P<line>\d+)\): (?P<name>[\w\\:>-]+)"),
)
"""Python, C#, Java and JavaScript, Ruby, PHP."""
_PATH = re.compile(
    r"(?<![\w@.%/\\-])(?:[A-Za-z]:|[a-z]+://)?"
    r"(?P<path>[.~/\\]{0,3}(?:[\w.@+-]+[/\\])*[\w.@+-]*\.\w+)"
    r"(?:(?::|#L|\()(?P<line>\d+)(?::\d+)?\)?)?(?![\w/\\(-])"
)
_WHOLE_PATH = re.compile(r"[.~]{0,2}/?(?:[\w.@+-]+/)+[\w.@+-]+")
_FILE_NAME = re.compile(
    r"(?<![\w/.-])(?:Makefile|Dockerfile|Rakefile|Gemfile|Justfile|Vagrantfile|Jenkinsfile"
    r"|Procfile|Brewfile|Podfile|CMakeLists\.txt)(?![\w/-])"
)
_LINE_BESIDE = re.compile(r"[ ,(]+(?:at |on )?line (\d+)")
_PATH_AND_LINE = re.compile(r"(?P<path>\S+?),?\s+(?:(?:at|on)\s+)?line\s+\d+", re.I)
_AROUND = "()[]`'\",;: \t"
_PRODUCTS = (
    "node next vue nuxt express react three d3 moment backbone ember angular asp chart socket"
    " alpine p5 require knockout polymer"
)
_PRODUCT_NAMES = frozenset(_PRODUCTS.split())
"""Called like a file ("node.js"), yet seldom one."""
_MEMBERS = "json log map d r m v t text html xml css sql proto txt md lock hs cl fs jl pl ex go rs"
_LIKE_MEMBERS = frozenset(_MEMBERS.split())
"""Extensions that are as often what is asked of an object: `response.json`."""


@dataclass(frozen=True, slots=True)
class Place:
    """A file as the question names it: a path or its end with `/`; line 0 when none is given.

    `name` is the function that a stack trace tells with it, as written there, else "".
    """

    path: str
    line: int = 0
    name: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """The path's components in lower case."""
        return tuple(self.path.lower().split("/"))


def find_places(text: str) -> tuple[Place, ...]:
    """Return the files that a text points to, in order, each once; frames of traces first."""
    if "." not in text and "/" not in text and "file" not in text and "\\" not in text:
        return ()
    found: dict[tuple[str, int], Place] = {}
    for place in (*_frames(text), *_mentions(text)):
        known = any(path == place.path for path, _ in found)
        if place.path and (place.line or not known):
            found.setdefault((place.path, place.line), place)
    return tuple(found.values())[:MAX_PLACES]


def is_place(text: str) -> bool:
    """Whether a text without white space is nothing but the path of a file, or with a line."""
    if _WHOLE_PATH.fullmatch(text):
        return True
    match = _PATH.fullmatch(text) or _FILE_NAME.fullmatch(text)
    if not match:
        return False
    suffix = text.rpartition(".")[2].lower()
    return bool(_mention(match)) and ("/" in text or suffix not in _LIKE_MEMBERS)


def is_only_place(text: str) -> bool:
    """Whether a text is a path, with or without a line, or one frame of a trace, and no more.

    Below a frame its line of code may follow, as traces show it.
    """
    first, _, code = text.strip().partition("\n")
    first = first.strip()
    if "\n" not in code and any(frame.fullmatch(first) for frame in _FRAMES):
        return True
    beside = _PATH_AND_LINE.fullmatch(first)
    path = (beside["path"] if beside else first).strip(_AROUND)
    if code or any(map(str.isspace, path)):
        return False
    # `response.json` may be a member; where such a file is, it is meant.
    return is_place(path) or _PATH.fullmatch(path) is not None


def without_frames(text: str) -> str:
    """Return what remains of a stack trace besides its frames: the message."""
    for frame in _FRAMES:
        text = frame.sub(" ", text)
    return text


def named_rows(paths: Sequence[str], places: Iterable[Place]) -> dict[int, tuple[float, int]]:
    """Return the files that places mean: row -> (how surely, 0..1, and the line or 0).

    `paths` are those of one project. A file is meant when it is called like the place; of several
    the ones that share most folders with it, counted from the end. A place without an extension
    (`flask/app`) also means `flask/app.py` and the files of a folder `flask/app`.
    """
    found: dict[int, tuple[float, int]] = {}
    for place in places:
        rows = _rows_ending(paths, place)
        best = max(rows.values(), default=0)
        for row, common in rows.items():
            sure = common / len(place.parts) if common == best else 0.0
            if sure > found.get(row, (0.0, 0))[0]:
                found[row] = (sure, place.line)
    return found


def _rows_ending(paths: Sequence[str], place: Place) -> dict[int, int]:
    """Return row -> number of equal components at the end, for files called like the place."""
    wanted = place.parts
    last = wanted[-1]
    bare = "." not in last
    rows: dict[int, int] = {}
    for row, path in enumerate(paths):
        low = path.lower()
        if not bare:
            if not low.endswith(last):
                continue
            parts = low.split("/")
        else:
            if last not in low:
                continue
            parts = low.split("/")
            parts[-1] = parts[-1].partition(".")[0]
            if parts[-1] != last and len(parts) > 1 and parts[-2] == last:
                parts.pop()
        common = _common_end(parts, wanted)
        if common:
            rows[row] = common
    return rows


def _common_end(one: Sequence[str], other: Sequence[str]) -> int:
    common = 0
    for mine, theirs in zip(reversed(one), reversed(other), strict=False):
        if mine != theirs:
            break
        common += 1
    return common


def _frames(text: str) -> Iterator[Place]:
    if "at " not in text and "File " not in text and ":in " not in text and "#" not in text:
        return
    for frame in _FRAMES:
        for match in frame.finditer(text):
            line = match["line"]
            yield Place(_normal(match["path"]), int(line) if line else 0, match["name"] or "")


def _mentions(text: str) -> Iterator[Place]:
    for match in _PATH.finditer(text):
        place = _mention(match)
        if place is not None:
            beside = None if place.line else _LINE_BESIDE.match(text, match.end())
            yield Place(place.path, int(beside[1])) if beside else place
    for match in _FILE_NAME.finditer(text):
        yield Place(match[0])
    bare = text.strip()
    if _WHOLE_PATH.fullmatch(bare) and "." not in bare.rpartition("/")[2]:
        yield Place(_normal(bare))


def _mention(match: re.Match[str]) -> Place | None:
    """Return the file that a piece of text names, None when it only looks like one."""
    groups = match.groupdict()
    if "path" not in groups:
        return Place(match[0])
    path = _normal(match["path"])
    base = path.rpartition("/")[2]
    stem, _, suffix = base.rpartition(".")
    if len(stem) < 2 and not match["line"]:
        return None
    if suffix not in (suffix.lower(), suffix.upper()):
        return None
    if suffix.lower() == "js" and base == path and stem.lower() in _PRODUCT_NAMES:
        return None
    if language_of(base.lower()) == UNKNOWN and suffix.lower() not in _LIKE_MEMBERS:
        return None
    return Place(path, int(match["line"] or 0))


def _normal(path: str) -> str:
    """Return a path with `/`, without drive, leading dots and slashes."""
    path = path.replace("\\", "/")
    path = re.sub(r"^(?:[A-Za-z]:|[a-z]+:/)?[.~/]*/", "", path)
    return path.strip("/")
