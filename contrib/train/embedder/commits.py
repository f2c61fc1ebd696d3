"""Pairs of a commit's subject and the code it changed, from `git log -p`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from contrib.train.embedder.pairs import DATA, MAX_CODE_CHARS, PROSE, Pair, usable
from paparatsd.chunks.languages import language_of

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_FILES = 4
MIN_CHANGED_CHARS = 80
_DULL = re.compile(
    r"^(merge|revert|bump|release|version|update (dep|change|readme|version|copyright)|changelog|"
    r"prepare|wip|typo|fix typo|format|lint|chore|ci\b|build\(|docs?\b|style|cleanup|upgrade|"
    r"apply|minor|remove unused|\[?(maven|gradle|dependabot|renovate))|depend|pre-commit|"
    r"code ?gen|regenerate|snapshot|\bv?\d+\.\d+\.\d+",
    re.IGNORECASE,
)


def subject_text(subject: str) -> str:
    """Return the words of a commit's subject: without type, scope, ticket and author marks."""
    text = re.sub(r"\s*\((?:#|gh-|closes? |fix(?:es)? |refs? )[^)]*\)", "", subject)
    text = re.sub(r"^\[[^\]]{1,30}\]\s*|^#?\d+\s*[:-]?\s*", "", text)
    text = re.sub(r"^(feat|fix|perf|refactor|test|chore)(\([^)]*\))?!?:\s*", "", text)
    return re.sub(r"\s+", " ", re.sub(r"\s*(#\d+|\bby @\w+|[A-Z]+-\d+)", " ", text)).strip()


def from_log(log: str, skip: re.Pattern[str]) -> Iterator[Pair]:
    """Yield a pair per code file of each commit of few files; `skip` matches paths left out."""
    for entry in log.split("\0"):
        head, _, patch = entry.partition("\n")
        query = subject_text(head)
        if _DULL.search(head) or not usable(query, 4) or not 15 <= len(query) <= 140:
            continue
        files = re.split(r"^diff --git .*$", patch, flags=re.MULTILINE)[1:]
        if len(files) > 10:
            continue
        changed = [found for text in files if (found := _changed(text, skip))]
        if len(changed) <= MAX_FILES:
            for path, language, name, code in changed[:2]:
                yield Pair("commit", language, path, name, query, "", code)


def _changed(patch: str, skip: re.Pattern[str]) -> tuple[str, str, str, str] | None:
    match = re.search(r"^\+\+\+ b/(.+)$", patch, re.MULTILINE)
    if not match or skip.search(match.group(1)):
        return None
    path = match.group(1)
    language = language_of(path)
    if language in DATA or language in PROSE or language == "":
        return None
    lines, names, changed = [], [], 0
    for line in patch[match.end() :].split("\n"):
        if line.startswith("@@"):
            names += re.findall(r"\w{3,}", line.split("@@")[-1])[:6]
        elif line[:1] in ("+", " "):
            lines.append(line[1:])
            changed += len(line) if line[0] == "+" else 0
    if changed < MIN_CHANGED_CHARS:
        return None
    return path, language, " ".join(dict.fromkeys(names)), "\n".join(lines)[:MAX_CODE_CHARS]
