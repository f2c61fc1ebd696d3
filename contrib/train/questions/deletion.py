"""Taking one sentence out of a comment, with nothing else of the file touched.

Question and file must not match word for word. The lines of the file keep their numbers: what is
left of a line that held only the sentence is its comment mark.
"""

from __future__ import annotations

import re

from paparatsd.chunks.parse import ChunkLimits, parse_file

_MARK = r"[ \t]*(?:\*+(?!/)|//+!?|##*'?|--+\|?|;+|%+|!+)?"
_GAP = rf"(?:[ \t]+|[ \t]*\r?\n(?:{_MARK}[ \t]*))(?:</?\w+>)?"
_MARK_AT_START = re.compile(_MARK + r"[ \t]*")


def normalised(text: str) -> str:
    """Give the words of a text alone, lower case: what "the sentence is gone" is judged by."""
    return " ".join(re.findall(r"\w+", text.lower()))


def delete_sentence(text: str, raw: str, first_line: int, last_line: int) -> str | None:
    """Return the text without the first occurrence of `raw` in these lines (1-based, inclusive).

    Line breaks and comment marks inside the sentence are allowed for and left in place. None when
    the sentence is not there as it was read.
    """
    words = raw.split()
    if not words:
        return None
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: first_line - 1]))
    end = start + sum(map(len, lines[first_line - 1 : last_line]))
    found = re.compile(_GAP.join(map(re.escape, words))).search(text, start, end)
    if found is None:
        return None
    rest = text[found.end() :]
    left = _marks_of(found.group())
    if (text[: found.start()] + left)[-1:] in {" ", "\t"}:
        rest = rest.lstrip(" \t")
    return text[: found.start()] + left + rest


def _marks_of(sentence: str) -> str:
    lines = sentence.split("\n")
    kept = ["\r" if line.endswith("\r") else "" for line in lines]
    for number, line in enumerate(lines[1:], 1):
        mark = _MARK_AT_START.match(line)
        kept[number] = (mark.group() if mark else "") + kept[number]
    return "\n".join(kept)


def keeps_structure(path: str, before: str, after: str) -> bool:
    """Say whether the parser finds the same definitions on the same lines in both texts."""
    old, new = (parse_file(path, text, ChunkLimits()) for text in (before, after))
    if old.degraded or new.degraded or old.lines != new.lines:
        return False
    return [(s.qualified, s.kind, s.start_line, s.end_line) for s in old.symbols] == [
        (s.qualified, s.kind, s.start_line, s.end_line) for s in new.symbols
    ]
