"""Commit messages as questions about the files they changed."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contrib.train.questions.sentences import (
    content_words,
    first_sentence,
    is_askable,
    lower_first,
    without_markup,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

MAX_SOURCES = 3
MAX_FILES = 8
MAX_CHANGED_LINES = 250
MIN_CHANGED_LINES = 3
MAX_COMMITS = 4_000

_FIELD, _RECORD = "\x1f", "\x1e"

_BOT = re.compile(
    r"\[bot\]|dependabot|renovate|greenkeeper|pre-commit|github-actions|snyk|weblate|transifex"
    r"|crowdin|allcontributors|release-?please|copybara|scala steward",
    re.IGNORECASE,
)
_MECHANICAL = re.compile(
    r"^(?:merge|revert|bump|release|prepare|version|update (?:dep|version|change|copyright"
    r"|readme|year"
    r"|to |the (?:readme|changelog)|docs?|.*\bto v?\d)|upgrade|typos?\b"
    r"|fix(?:e[sd])? (?:a )?(?:typos?"
    r"|lint|format|style|spelling|build|ci|tests?|warnings?|docs?|links?|whitespace|indent|flaky"
    r"|compil|mypy|clippy|comments?|doc\b|javadoc|rubocop|import|nits?)"
    r"|format|reformat|lint|style\b|clean|cleanup|tidy|polish|minor|misc\b|wip\b|nits?\b|review"
    r"|address|apply|rename|move|reorgani|refactor|simplif|remove|delete|drop|deprecat|modernis"
    r"|moderniz|convert|migrate|extract|inline|use\b|switch|sync|backport|cherry|import|vendor"
    r"|docs?\b|documentation|comment|changelog|readme|ci\b|test|chore|build\b|typing|annotat"
    r"|add (?:missing )?(?:tests?|docs?|comments?|type|javadoc|changelog|spec|license|annotation"
    r"|example|copyright|docstring|note|unit)|more (?:tests?|docs?)|improve (?:docs?|test|comment"
    r"|readme|javadoc|wording|documentation)|increase|final|initial|first|start|set version|next"
    r"|[vV]?\d+\.\d+|start(?:ing)? (?:new|next)|back to|automated|auto\b|post.?release|small"
    r"|better|some|various)",
    re.IGNORECASE,
)
_MECHANICAL_ANYWHERE = re.compile(
    r"\b(?:typos?|whitespace|rubocop|eslint|clippy|phpstan|psalm|mypy|pylint|prettier|spotless|lint"
    r"|linter|linting|copyright|licen[sc]e|changelog|readme|javadocs?|docstrings?|godoc|scaladoc"
    r"|spelling|grammar|wording|dependenc(?:y|ies)|bump(?:s|ed)?|cleanups?|clean up|refactor\w*"
    r"|reverts?"
    r"|cherry.pick\w*|unused|deprecat\w*|formatting|unit tests?|ci|travis|github actions?"
    r"|workflows?"
    r"|release[sd]?|co-authored|nits?|comments?|documentation|docs?|tests?|imports?|semver"
    r"|rename[sd]?"
    r"|migrat\w+|warnings?|upgrade[sd]?|version|sonar\w*|spotbugs|checkstyle|pmd|static analysis"
    r"|code style|nullable|annotations?|sealed|obsolete|compiler?|compilation|benchmark\w*"
    r"|pydocstyle|flake8|pep8|isort"
    r"|codespell|phpdocs?|mutations?|mutants?|stryker|prs?|conflicts?|examples?|snippets?"
    r"|samples?|type ?hints?|test_\w+|master|upstream|backports?|dev ?dependencies"
    r"|translat\w+|locali[sz]\w+|codeclimate|scrutinizer|cs.?fix\w*|https|visibility"
    r"|fix(?:e[sd])? types)\b",
    re.IGNORECASE,
)
_PREFIX = re.compile(
    r"^(?:\[[^\]]{1,40}\]\s*:?\s*|\([^)]{1,30}\)\s*:?\s*"
    r"|(?:fix|feat|feature|bug(?:fix)?|hotfix|perf|refactor|chore|docs?|test|style|build|ci|impl"
    r"|add"
    r"|improvement|enhancement|security|change|breaking|api)(?:\([^)]*\))?!?:\s+"
    r"|(?:[A-Z]{2,10}-\d+|GH-?\d+|#?\d{2,}(?=[,:])|#\d+|issue #?\d+)\s*[:.,-]*\s*"
    r"|(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|see)\s+(?:issue\s+|bug\s+)?(?:[A-Z]{2,10}-"
    r"|\w+#|#)\d+"
    r"\s*[:.,-]*\s*(?:\band\b\s*)?"
    r"|[\w.,/{}*-]{2,40}:\s+|:\w+:\s*|[^\w\s`'\"(\[]+\s*)",
    re.IGNORECASE,
)
_TICKET = re.compile(
    r"\s*[\[(](?:[^()\[\]]*(?:#|GH-|gh-)\d+[^()\[\]]*|[A-Z]{2,10}-\d+)[\])]"
    r"|\s*[-,;]?\s*\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|see|for|from|per|in|of"
    r"|by)?\s*:?\s*"
    r"(?:(?:issue|bug|PR|pull request)\s+)?(?:[\w./-]*#|GH-?)\d+\b.*$"
    r"|\s*\b(?:closes|fixes)\s*$",
    re.IGNORECASE,
)
_LEADING_VERB = re.compile(
    r"^(?:fix(?:e[sd]|ing)?|add(?:s|ed|ing)?|implement(?:s|ed)?|support|introduce[sd]?|improve[sd]?"
    r"|make|allow(?:s|ed)?|enable[sd]?|ensure[sd]?|handle[sd]?|create[sd]?|provide[sd]?|expose[sd]?"
    r"|correct(?:s|ed|ly)?|properly|bug(?:fix)?)\s+(?:an?\s+|the\s+)?"
    r"(?:(?:bugs?|issues?|problems?|regressions?|cases?|edge.cases?)\s+"
    r"(?:(?:with|in|where|when|that|causing|of|for|around)\s+)?)?(?:an?\s+|the\s+)?",
    re.IGNORECASE,
)
_FIX = re.compile(
    r"^(?:fix(?:e[sd]|ing)?|correct(?:s|ed)?|resolve[sd]?|bug(?:fix)?)\s+", re.IGNORECASE
)
_OF_A_BUG = re.compile(
    r"^(?:an?\s+|the\s+|possible\s+|potential\s+|rare\s+)*(?:bugs?|issues?|problems?|regressions?"
    r"|(?:edge.)?cases?)\s+(?:(?:where|when|with|in|that|causing|of|for|around|on)\b\s*)?",
    re.IGNORECASE,
)
_SYMPTOM = re.compile(
    r"\b(?:when|crash\w*|fail\w*|error\w*|exception|panic\w*|leak\w*|race|deadlock|hang\w*|wrong\w*"
    r"|incorrect\w*|broken|missing|not|never|invalid|infinite|overflow|null|nil|undefined"
    r"|duplicate\w*"
    r"|lost|ignored|regression|segfault|cannot|can't|doesn't|if)\b",
    re.IGNORECASE,
)
_BODY_SYMPTOM = re.compile(
    r"\b(?:when|would|fail(?:s|ed)?|error|crash(?:es|ed)?|throws?|instead of|does(?: not|n't)"
    r"|is not"
    r"|was not|were not|isn't|wasn't|cannot|can't|could not|wrong(?:ly)?|incorrect(?:ly)?|leaks?"
    r"|hangs?|raised?s?|breaks?|broken|missing|unexpected(?:ly)?|ignored|never)\b",
    re.IGNORECASE,
)
_BODY_UNUSABLE = re.compile(
    r"\b(?:this (?:commit|change|patch|pr|fix|adds?|also)|pull request|commit|patch|reported"
    r"|signed-off|co-authored|test|tests|thanks|reviewed|note that|fixes|closes)\b|^[-*]|^\w+:"
    r"|^(?:it|its|these|this|that|they|those|so|and|but|also|instead|now|currently|before|after"
    r"|for example"
    r"|because)\b",
    re.IGNORECASE,
)
_TELLS_A_STATE = re.compile(
    r"^(?:the|an?|when|if|some|all|any|every|each|there|in|on|with|without|for|under|at|since|using"
    r"|calling|previously|[A-Z]?[a-z]+ing|\S+ (?:is|are|was|were|has|had|does|do|did|would|can"
    r"|could|may|might|should|will|must|fails?|failed|throws?|threw|crash(?:es|ed)|breaks?|returns?"
    r"|returned|isn't|wasn't|doesn't|didn't|can't|cannot))\s",
    re.IGNORECASE,
)
"""A body that goes on with "Retain the ..." tells what was done, not what was wrong."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit: `files` maps each changed path to its number of changed lines."""

    sha: str
    author: str
    subject: str
    body: str
    files: dict[str, int]


@dataclass(frozen=True, slots=True)
class CommitQuestion:
    """A question and the files that answer it; kind is "commit" or "issue"."""

    kind: str
    text: str
    paths: tuple[str, ...]
    sha: str


def read_commits(git_dir: Path, revision: str, share: float) -> list[Commit]:
    """Read the newest share (0-1) of the commits that merge nothing, newest first.

    A commit that cannot be compared, because a snapshot lacks one of its blobs, is left out.
    """
    total = int(_git(git_dir, "rev-list", "--no-merges", "--count", revision)[0])
    wanted = min(max(int(total * share), 1), MAX_COMMITS)
    form = f"--format={_RECORD}%H{_FIELD}%an{_FIELD}%s{_FIELD}%b{_FIELD}"
    commits: list[Commit] = []
    skipped = 0
    while skipped < wanted:
        page = (f"--skip={skipped}", f"-n{wanted - skipped}", form, revision)
        log, whole = _git(git_dir, "log", "--no-merges", "--no-renames", "--numstat", *page)
        read = list(parse_log(log))
        if whole:
            return commits + read
        # git stops at the commit it cannot compare, which is the last one it has begun.
        commits += read[:-1]
        skipped += max(len(read), 1)
    return commits


def _git(git_dir: Path, *words: str) -> tuple[str, bool]:
    done = subprocess.run(["git", f"--git-dir={git_dir}", *words], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace"), done.returncode == 0


def surviving_paths(git_dir: Path, question: CommitQuestion, texts: Mapping[str, str]) -> list[str]:
    """List the question's files that still hold most of what the commit wrote.

    `texts` are the files as they are indexed. Code that moved away since, or was rewritten, would
    make the wrong file the answer.
    """
    kept = []
    for path in question.paths:
        command = ("show", "--format=", "--unified=0", "--no-renames", question.sha, "--", path)
        patch, whole = _git(git_dir, *command)
        added = added_lines(patch)
        here = {line.strip() for line in texts[path].splitlines()}
        if whole and added and sum(line in here for line in added) >= 0.6 * len(added):
            kept.append(path)
    return kept


def added_lines(patch: str) -> list[str]:
    """List the lines a patch adds, stripped, without those too short to be told apart."""
    lines = (line[1:].strip() for line in patch.splitlines() if re.match(r"\+(?!\+\+ )", line))
    return [line for line in lines if len(line) >= 8]


def parse_log(log: str) -> Iterator[Commit]:
    """Read what `git log` wrote in the form above."""
    for record in log.split(_RECORD)[1:]:
        sha, author, subject, body, numbers = record.split(_FIELD, 4)
        files = {}
        for line in numbers.splitlines():
            parts = line.split("\t")
            if len(parts) == 3 and parts[0].isdigit() and parts[1].isdigit():
                files[parts[2]] = int(parts[0]) + int(parts[1])
        yield Commit(sha, author, subject, body, files)


def clean_subject(subject: str) -> str:
    """Take prefixes, scopes and ticket ids off a commit's subject."""
    text = _TICKET.sub("", subject.strip())
    for _ in range(4):
        shorter = _PREFIX.sub("", text)
        if shorter == text:
            break
        text = shorter
    return without_markup(_TICKET.sub("", text))


def is_mechanical(commit: Commit) -> bool:
    """Say whether a commit is upkeep: bumps, merges, releases, formatting, typos, tests, docs."""
    lead = re.match(r"(\w+)(?:\([^)]*\))?!?:", commit.subject)
    if lead and lead.group(1).lower() in {"chore", "docs", "doc", "test", "tests", "ci", "build",
                                          "style", "refactor", "release", "deps"}:  # fmt: skip
        return True
    cleaned = clean_subject(commit.subject)
    return bool(
        _BOT.search(commit.author)
        or _MECHANICAL.match(commit.subject)
        or _MECHANICAL.match(cleaned)
        or _MECHANICAL_ANYWHERE.search(cleaned)
    )


def changed_sources(commit: Commit, is_source: Callable[[str], bool]) -> tuple[str, ...]:
    """List the source files of a small commit, most changed first; () when it is not small.

    `is_source` says whether a path is a source file that still exists.
    """
    if not 1 <= len(commit.files) <= MAX_FILES:
        return ()
    sources = {path: n for path, n in commit.files.items() if is_source(path)}
    changed = sum(sources.values())
    if (
        not 1 <= len(sources) <= MAX_SOURCES
        or not MIN_CHANGED_LINES <= changed <= MAX_CHANGED_LINES
    ):
        return ()
    # A file that only got an import or a call renamed is not what the message speaks of.
    kept = [path for path, n in sources.items() if n >= 0.2 * changed]
    return tuple(sorted(kept, key=lambda path: (-sources[path], path)))


def commit_questions(
    commits: list[Commit], is_source: Callable[[str], bool], rng: random.Random
) -> list[CommitQuestion]:
    """Make at most one question of each commit that is small and says something."""
    found: list[CommitQuestion] = []
    for commit in commits:
        paths = changed_sources(commit, is_source)
        if not paths or is_mechanical(commit):
            continue
        issue = issue_phrase(commit)
        if issue and rng.random() < 0.6:
            found.append(CommitQuestion("issue", issue, paths, commit.sha))
            continue
        text = clean_subject(commit.subject)
        if not is_askable(text):
            continue
        if rng.random() < 0.5:
            shorter = _LEADING_VERB.sub("", text)
            text = shorter if len(content_words(shorter)) >= 3 else text
        found.append(CommitQuestion("commit", lower_first(text), paths, commit.sha))
    return found


_TEMPLATES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), form)
    for pattern, form in (
        (r"^(?:do not|don't|never|avoid|prevent|stop)\s+(?:from\s+)?(.*ing\b.*)$", r"\1"),
        (r"^(?:do not|don't|never)\s+(\w+)\s+(.*)$", r"it should not \1 \2"),
        (r"^(?:avoid|prevent)s?\s+(.+)$", r"\1"),
        (r"^(?:allow|enable)s?\s+(.+?)\s+to\s+(?:be\s+)(.+)$", r"\1 can not be \2"),
        (r"^(?:allow|enable)s?\s+(.+?)\s+to\s+(.+)$", r"\1 can not \2"),
        (r"^(?:add(?:s|ed)?\s+support\s+for|supports?)\s+(.+)$", r"\1 is not supported"),
        (r"^handles?\s+(.+?)\s+(when|in|if|for|from|on|during)\s+(.+)$",
         r"\1 is not handled \2 \3"),
        (r"^(?:correctly|properly)\s+(\w+)\s+(.+)$", r"does not \1 \2 correctly"),
        (r"^(\w+)\s+(.+?)\s+(?:correctly|properly)((?:\s+(?:when|if|in|for)\s+.*)?)$",
         r"does not \1 \2 correctly\3"),
        (r"^(?:make sure|ensures?)\s+(?:that\s+)?(.+?)\s+(is|are|can)\s+(.+)$", r"\1 \2 not \3"),
    )
)  # fmt: skip


def issue_phrase(commit: Commit) -> str:
    """Say what was wrong before, in the words of the message; "" when it does not tell."""
    subject = clean_subject(commit.subject)
    fixed = _FIX.match(subject)
    if fixed:
        rest = _OF_A_BUG.sub("", subject[fixed.end() :])
        if _SYMPTOM.search(rest) and is_askable(rest):
            return lower_first(rest)
    for pattern, form in _TEMPLATES:
        match = pattern.match(subject)
        if match and is_askable(subject):
            text = lower_first(match.expand(form))
            return text if is_askable(text) else ""
    return _from_body(commit.body)


def _from_body(body: str) -> str:
    for paragraph in body.split("\n\n")[:2]:
        sentence = first_sentence(paragraph)
        if sentence is None or _BODY_UNUSABLE.search(sentence.raw):
            continue
        if not _TELLS_A_STATE.match(sentence.plain):
            continue
        if _BODY_SYMPTOM.search(sentence.plain) and is_askable(sentence.plain):
            return lower_first(sentence.plain)
    return ""
