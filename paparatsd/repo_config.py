"""What a repository says about itself in `.paparats.yml`.

The file is optional, and so is every key. A bad file is answered with a problem and without a
configuration: to go on with the defaults would index what the user has left out. Overrides of
`projects.yml` are merged over the file, then both are checked alike.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from paparatsd.errors import BadQuery
from paparatsd.naming import AUDIENCE_ALLOWED, UNLABELLED, check_group_name, is_audience
from paparatsd.place_labels import NOTHING_SAID, ProjectLabels
from paparatsd.plain_yaml import PlainYamlError, read_plain_yaml
from paparatsd.ticket_patterns import MAX_PATTERNS, BadPatternError, compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from paparatsd.model import GroupName

FILE_NAME = ".paparats.yml"
MAX_FILE_BYTES = 64 << 10
MAX_FILE_NODES = 4_000
MAX_LIST_ITEMS = 1_000
MAX_TEXT_CHARS = 4_096


IDLE_KEYS = {
    "indexing.chunkSize": "chunks are the same in all projects; see index.chunk_chars",
    "indexing.overlap": "structural chunks do not overlap",
    "indexing.concurrency": "see index.workers in config.toml",
    "indexing.batchSize": "batches are sized by the daemon",
    "indexing.extensions": "what git lists is indexed; leave out with indexing.exclude_extra",
    "watcher.": "see [watch] in config.toml",
    "metadata.git.maxCommitsPerFile": "all commits of a file are read",
    "embeddings.": "one embedder serves all projects; see [embedder] in config.toml",
}
"""Keys that files written for other systems may have, and why they change nothing here."""


class BadRepoConfigError(ValueError):
    """A key that cannot be used; the message names it and what is allowed."""


@dataclass(frozen=True, slots=True)
class RepoConfig:
    """One repository's own settings.

    `exclude` and `exclude_extra` are ignore patterns in gitignore form; both are applied. `paths`
    are directories or files, relative, to which indexing is restricted; empty means everything.
    `ticket_patterns` can be given to `compile_pattern`; `jira_url` is without a slash at its end.
    """

    group: GroupName | None = None
    exclude: tuple[str, ...] = ()
    exclude_extra: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    respect_gitignore: bool = True
    docs_kind: str = "auto"
    docs_audience: str = UNLABELLED
    labels: ProjectLabels = NOTHING_SAID
    history: bool = True
    ticket_patterns: tuple[str, ...] = ()
    jira_url: str | None = None


@dataclass(frozen=True, slots=True)
class LoadedRepoConfig:
    """A configuration, None when the file is bad; why it is bad, else ""; and warnings."""

    config: RepoConfig | None = RepoConfig()
    problem: str = ""
    warnings: tuple[str, ...] = ()


def load_repo_config(root: Path, overrides: Mapping[str, Any] | None = None) -> LoadedRepoConfig:
    """Read `.paparats.yml` in `root`; never raises for what the file says.

    `overrides` has the shape of the file and wins over it; `exclude_extra` adds up.
    """
    path = root / FILE_NAME
    overrides = overrides or {}
    try:
        document = _read(path)
        config = parse_repo_config(merge_documents(document, overrides), root)
        warnings = [f"{path}: {text}" for text in unknown_keys(document)]
    except (PlainYamlError, BadRepoConfigError) as error:
        return LoadedRepoConfig(None, f"{path}: {error}")
    warnings += [f"projects.yml: {text}" for text in unknown_keys(overrides)]
    return LoadedRepoConfig(config, "", tuple(warnings))


def _read(path: Path) -> Mapping[str, Any]:
    try:
        document = read_plain_yaml(
            path, max_bytes=MAX_FILE_BYTES, max_nodes=MAX_FILE_NODES, follow=False
        )
    except FileNotFoundError:
        return {}
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise BadRepoConfigError("it has no keys; write for example 'group: backend', or delete it")
    return document


def merge_documents(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Lay `over` over `base`: section by section, lists replaced, `exclude_extra` added."""
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        if isinstance(below, dict) and isinstance(value, dict) and key != "directory_tags":
            merged[key] = merge_documents(below, value)
        elif key == "exclude_extra" and isinstance(below, list) and isinstance(value, list):
            merged[key] = [*below, *value]
        elif value is not None:
            merged[key] = value
    return merged


def unknown_keys(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a sentence for each key that does nothing, unknown or known."""
    keys = [key for key, value in _flatten(document) if value is not None]
    unknown = [_unknown(key) for key in keys if key not in _KEYS]
    idle = [_idle(key) for key in keys if key in _KEYS and key.startswith(tuple(IDLE_KEYS))]
    return (*unknown, *idle)


def _idle(key: str) -> str:
    reason = next(why for start, why in IDLE_KEYS.items() if key.startswith(start))
    return f"the key {key!r} is understood but has no effect: {reason}"


def parse_repo_config(document: Mapping[str, Any], root: Path | None = None) -> RepoConfig:
    """Check the keys and return the configuration; unknown ones are passed over.

    With `root` it is also checked that no path of `indexing.paths` leaves it by a link. Raises
    BadRepoConfigError.
    """
    values: dict[str, Any] = {}
    checked: dict[str, Any] = {}
    for key, value in _flatten(document):
        rule = _KEYS.get(key)
        if rule is not None and value is not None:
            checked[key] = _checked(key, value, rule.check)
            if rule.name == "ticket_patterns":
                values[rule.name] = _both(values.get(rule.name, ()), checked[key], key)
            elif rule.name is not None:
                values[rule.name] = checked[key]
    overlap, chunk = checked.get("indexing.overlap"), checked.get("indexing.chunkSize")
    if overlap is not None and overlap >= (chunk or 1_024):
        raise BadRepoConfigError(f"indexing.overlap: {overlap} is not less than indexing.chunkSize")
    if root is not None:
        for path in values.get("paths", ()):
            if not (root / path).resolve().is_relative_to(root.resolve()):
                raise BadRepoConfigError(f"indexing.paths: {path!r} leaves the project by a link")
    labels = {name.removeprefix("labels."): values.pop(name) for name in _LABELS if name in values}
    return RepoConfig(**values, labels=ProjectLabels(**labels))


def _both(patterns: tuple[str, ...], more: tuple[str, ...], key: str) -> tuple[str, ...]:
    """Add up the patterns of the two keys that may list them."""
    both = tuple(dict.fromkeys((*patterns, *more)))
    if len(both) > MAX_PATTERNS:
        raise BadRepoConfigError(
            f"{key}: history.tickets and metadata.git.ticketPatterns together have over "
            f"{MAX_PATTERNS} patterns"
        )
    return both


def _flatten(document: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in document.items():
        key = prefix + name
        if key not in _SECTIONS:
            yield key, value
        elif isinstance(value, dict):
            yield from _flatten(value, f"{key}.")
        elif value is not None:
            raise BadRepoConfigError(
                f"{key}: {_shown(value)} cannot be used; allowed: keys below it"
            )


def _checked(key: str, value: object, check: Callable[[object], Any]) -> Any:  # noqa: ANN401 - by key
    try:
        return check(value)
    except BadRepoConfigError:
        raise
    except ValueError as error:
        raise BadRepoConfigError(
            f"{key}: {_shown(value)} cannot be used; allowed: {error}"
        ) from None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _unknown(key: str) -> str:
    """Return a sentence that names the key that was meant, or those that are there."""
    section, _, name = key.rpartition(".")
    beside = [one for one in (*_KEYS, *_SECTIONS) if one.rpartition(".")[0] == section]
    names = {one.rpartition(".")[2]: one for one in beside}
    close = difflib.get_close_matches(name, names, n=1)
    hint = ""
    if close:
        hint = f"; did you mean {names[close[0]]!r}?"
    elif section:
        hint = f"; {section[:80]} has {', '.join(sorted(names))}"
    return f"the key {key[:80]!r} is unknown and ignored{hint}"


# What may stand where. A check returns the value to use, or raises ValueError(what is allowed).


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise ValueError("one line of text")
    if len(value) > MAX_TEXT_CHARS:
        raise ValueError(f"at most {MAX_TEXT_CHARS} characters")
    return value.strip()


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")  # noqa: TRY004 - the caller handles one class
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MAX_LIST_ITEMS:
        raise ValueError(f"a list of at most {MAX_LIST_ITEMS} texts")
    try:
        return tuple(dict.fromkeys(_text(item) for item in value))
    except ValueError:
        raise ValueError("a list of texts of one line each") from None


def _text_or_texts(value: object) -> tuple[str, ...]:
    return _texts([value] if isinstance(value, str) else value)


def _whole(low: int, high: int) -> Callable[[object], int]:
    def check(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ValueError(f"a whole number from {low} to {high}")
        return value

    return check


def _one_of(*words: str) -> Callable[[object], str]:
    def check(value: object) -> str:
        if not isinstance(value, str) or value not in words:
            raise ValueError(" or ".join(words))
        return value

    return check


def _group(value: object) -> GroupName:
    try:
        return check_group_name(_text(value))
    except BadQuery as error:
        raise BadRepoConfigError(f"group: {error}") from None


def _audience(value: object) -> str:
    label = _text(value)
    if not is_audience(label):
        raise ValueError(f"one label of {AUDIENCE_ALLOWED} characters")
    return label


def _relative(text: str) -> str:
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or any(char in text for char in "*?[]{}\\"):
        raise ValueError("relative paths inside the project, without wildcards")
    return str(path)


def _paths(value: object) -> tuple[str, ...]:
    paths = tuple(_relative(path) for path in _texts(value))
    return () if "." in paths else paths


def _directory_tags(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict) or len(value) > MAX_LIST_ITEMS:
        raise ValueError("directories, each with a list of tags")
    return {_relative(_text(directory)): _texts(tags) for directory, tags in value.items()}


def _patterns(value: object) -> tuple[str, ...]:
    patterns = _texts(value)
    if len(patterns) > MAX_PATTERNS:
        raise ValueError(f"at most {MAX_PATTERNS} regular expressions")
    for pattern in patterns:
        try:
            compile_pattern(pattern)
        except BadPatternError as error:
            raise ValueError(f"regular expressions; {_shown(pattern)} is not: {error}") from None
    return patterns


def _web_address(value: object) -> str:
    allowed = "a web address such as https://jira.example.org, without user, query and fragment"
    text = value if isinstance(value, str) else ""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        raise ValueError(allowed) from None
    plain = text.isascii() and text.isprintable() and not set(text) & set(" \\\"'<>`@?#")
    if not plain or parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(allowed)
    if ".." in parts.path.split("/"):
        raise ValueError(allowed)
    return text.rstrip("/")


@dataclass(frozen=True, slots=True)
class _Rule:
    """How a key is checked and which field of `RepoConfig` it fills; None fills nothing."""

    check: Callable[[object], Any]
    name: str | None = None


_SECTIONS = frozenset(
    {"indexing", "watcher", "embeddings", "metadata", "metadata.git", "docs", "history"}
)
_KEYS: Mapping[str, _Rule] = {
    "group": _Rule(_group, "group"),
    # Languages are told from each file; the key is checked because existing files have it.
    "language": _Rule(_text_or_texts),
    "indexing.paths": _Rule(_paths, "paths"),
    "indexing.exclude": _Rule(_texts, "exclude"),
    "indexing.exclude_extra": _Rule(_texts, "exclude_extra"),
    "indexing.respectGitignore": _Rule(_flag, "respect_gitignore"),
    "indexing.extensions": _Rule(_texts),
    "indexing.chunkSize": _Rule(_whole(128, 8_192)),
    "indexing.overlap": _Rule(_whole(0, 8_191)),
    "indexing.concurrency": _Rule(_whole(1, 20)),
    "indexing.batchSize": _Rule(_whole(1, 1_000)),
    # The daemon watches and embeds for all projects alike: its own settings decide these.
    "watcher.enabled": _Rule(_flag),
    "watcher.debounce": _Rule(_whole(100, 10_000)),
    "watcher.stabilityThreshold": _Rule(_whole(100, 10_000)),
    "embeddings.provider": _Rule(_one_of("static", "llama", "openai", "ollama", "voyage")),
    "embeddings.model": _Rule(_text),
    "embeddings.dimensions": _Rule(_whole(1, 65_536)),
    "metadata.service": _Rule(_text, "labels.service"),
    "metadata.bounded_context": _Rule(_text, "labels.context"),
    "metadata.tags": _Rule(_texts, "labels.tags"),
    "metadata.directory_tags": _Rule(_directory_tags, "labels.folders"),
    "metadata.git.enabled": _Rule(_flag, "history"),
    "metadata.git.maxCommitsPerFile": _Rule(_whole(1, 500)),
    "metadata.git.ticketPatterns": _Rule(_patterns, "ticket_patterns"),
    # Two names of one thing: the section of this daemon, and the key that existing files have.
    "history.tickets": _Rule(_patterns, "ticket_patterns"),
    "history.jira": _Rule(_web_address, "jira_url"),
    "docs.kind": _Rule(_one_of("auto", "prose", "code"), "docs_kind"),
    "docs.audience": _Rule(_audience, "docs_audience"),
}
_LABELS = ("labels.service", "labels.context", "labels.tags", "labels.folders")
