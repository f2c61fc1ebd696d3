"""`paparats arch export` and `import`: cards and terms as Markdown files that a team can review."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadQuery, BadReply
from paparatsd.exits import NOT_TAKEN
from paparatsd.interfaces.cli.output import counted
from paparatsd.interfaces.cli.projects import absolute
from paparatsd.small_file import UnreadableFileError, read_small_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from paparatsd.interfaces.cli.context import Context

MAX_FILES = 20_000
MAX_FILE_BYTES = 1_600_000
HEAD_BYTES = 16_384
MAX_BATCH_BYTES, MAX_BATCH_FILES = 1 << 20, 1_000
"""A request may have 4 MiB and twice as many files; so it can always have one of them."""
IMPORT_S = 600.0
EXPORT_S = 120.0
README = "readme.md"
"""A file of this name is what people write about a directory."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,249}\.md", re.ASCII)
ID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
KINDS = frozenset({b"component", b"decision", b"lesson", b"term"})
FENCE, BOM = b"---", b"\xef\xbb\xbf"
STYLES = {"created": "green", "updated": "cyan", "deleted": "yellow", "refused": "red"}


def export(context: Context) -> int:
    """Write a file for each note into a directory, and say what changed there."""
    arguments = context.arguments
    directory = Path(absolute(arguments.directory))
    if os.path.lexists(directory) and not directory.is_dir():
        what = "a link that leads nowhere" if directory.is_symlink() else "a file"
        raise BadQuery(f"{directory} is {what}; give the directory to write into")
    answer = context.client(EXPORT_S).ask(
        "cards/export", projects=arguments.project, groups=arguments.group
    )
    files = {file["name"]: file["text"] for file in answer["files"]}
    strange = [name for name in files if not NAME.fullmatch(name)]
    if strange:
        raise BadReply(f"the daemon gave a file the name {strange[0]!r}; nothing was written")
    directory.mkdir(parents=True, exist_ok=True)
    done = {name: _write(directory / name, text) for name, text in files.items()}
    asked = (arguments.group, arguments.project)
    left = [
        path.name
        for path in _markdown(directory)
        if path.name not in files and _asked_about(_facts(path), *asked)
    ]
    if arguments.prune:
        for name in left:
            (directory / name).unlink()
        done |= dict.fromkeys(left, "deleted")
        left = []
    return _print_export(context, directory, done, left)


def _write(path: Path, text: str) -> str:
    """Make a file have a text, whole or not at all; returns what became of it."""
    data = text.encode()
    try:
        outcome = "updated"
        if read_small_file(path, max_bytes=len(data), follow=False)[0] == data:
            return "unchanged"
    except FileNotFoundError:
        outcome = "created"
    except UnreadableFileError as error:
        if path.is_symlink() or not path.is_file():
            raise BadQuery(f"{path} cannot be written: {error}") from None
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.write_bytes(data)
        if outcome == "updated":
            fresh.chmod(path.stat().st_mode & 0o777)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return outcome


def _facts(path: Path) -> Mapping[bytes, bytes]:
    """Return the facts in front of a file that was written for a note, none of any other file.

    Those of a note name its kind, id and group. What a person wrote has no id before it is
    imported; it is nowhere else.
    """
    try:
        data, _ = read_small_file(path, max_bytes=MAX_FILE_BYTES, follow=False)
    except (FileNotFoundError, UnreadableFileError):
        return {}
    facts = _front(data)
    named = ID.fullmatch(facts.get(b"id", b"")) is not None and bool(facts.get(b"group"))
    return facts if named and facts.get(b"kind") in KINDS else {}


def _front(data: bytes) -> Mapping[bytes, bytes]:
    """Return what stands in front of a file, roughly: whether its end is missing is not asked."""
    first, *lines = [line.rstrip() for line in data.removeprefix(BOM).split(b"\n")]
    if first != FENCE:
        return {}
    end = lines.index(FENCE) if FENCE in lines else len(lines)
    parted = (line.partition(b":") for line in lines[:end])
    return {name: value.partition(b" #")[0].strip(b" '\"") for name, _, value in parted}


def _is_of_a_note(data: bytes) -> bool:
    """Say whether a file is meant as a note, however wrong; any other document may lie beside.

    Others have kinds as well, but no group beside them: that is a note whose kind is mistyped.
    """
    facts = _front(data)
    return facts.get(b"kind") in KINDS or {b"kind", b"group"} <= facts.keys()


def _asked_about(
    facts: Mapping[bytes, bytes], groups: Sequence[str], projects: Sequence[str]
) -> bool:
    """Say whether a note with these facts would be among what was asked for, if it were there."""
    if not facts:
        return False
    group, project = facts[b"group"].decode("utf-8", "replace"), facts.get(b"project", b"null")
    in_project = project == b"null" or project.decode("utf-8", "replace") in projects
    return (not groups or group in groups) and (not projects or in_project)


def _print_export(
    context: Context, directory: Path, done: Mapping[str, str], left: Sequence[str]
) -> int:
    if context.as_json:
        files = [{"name": name, "outcome": done[name]} for name in sorted(done)]
        context.output.json({"directory": str(directory), "files": files, "left": sorted(left)})
        return 0
    output = context.output
    for name in sorted(done):
        if done[name] != "unchanged":
            _print_outcome(context, done[name], name)
    told = _tally(Counter(done.values())) if done else "there are no notes"
    output.paragraph(f"{directory}: {told}")
    if left:
        output.paragraph(
            f"{counted(len(left), 'file')} of notes that were not written this time: "
            f"{_some(sorted(left))}; --prune deletes them",
            style="yellow",
        )
    return 0


def take(context: Context) -> int:
    """Hand the Markdown files of a directory to the daemon, and say what became of each."""
    arguments, output = context.arguments, context.output
    directory = Path(absolute(arguments.directory))
    if not directory.is_dir():
        raise BadQuery(f"{directory} is no directory; give the one that has the files")
    paths = [path for path in _markdown(directory) if path.name.lower() != README]
    if len(paths) > MAX_FILES:
        raise BadQuery(f"{directory} has {len(paths):,} files; at most {MAX_FILES:,} are taken")
    readable, done, others = _read(paths)
    for batch in _batches(readable):
        done += context.client(IMPORT_S).ask(
            "cards/import",
            files=batch,
            dry_run=arguments.dry_run,
            projects=arguments.project,
            groups=arguments.group,
        )["files"]
    done.sort(key=lambda one: one["name"])
    refused = any(one["outcome"] == "refused" for one in done)
    if context.as_json:
        said = {"directory": str(directory), "dry_run": arguments.dry_run}
        output.json({**said, "files": done, "passed_over": others})
        return NOT_TAKEN if refused else 0
    for one in done:
        _print_outcome(context, one["outcome"], one["name"], one["problem"])
    none = "no files of notes" if others else "no *.md files"
    told = _tally(Counter(one["outcome"] for one in done)) if done else none
    output.paragraph(
        f"{directory}: {told}" + ("; nothing was written (--dry-run)" if arguments.dry_run else "")
    )
    if others:
        output.paragraph(
            f"{counted(len(others), 'file')} passed over, without `kind: ...` of a note in front: "
            f"{_some(others)}",
            style="dim",
        )
    return NOT_TAKEN if refused else 0


def _markdown(directory: Path) -> list[Path]:
    """Return the Markdown files of a directory itself, by name, without hidden ones."""
    return sorted(
        path
        for path in directory.iterdir()
        if path.name.lower().endswith(".md") and not path.name.startswith(".")
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (" ..." if len(names) > 5 else "")


def _read(
    paths: Sequence[Path],
) -> tuple[list[dict[str, str]], list[dict[str, Any]], list[str]]:
    """Return files as the daemon takes them, refused ones, and the names of those of no note."""
    files, refused, others = [], [], []
    for path in paths:
        name = os.fsencode(path.name).decode(errors="backslashreplace")
        try:
            data, _ = read_small_file(path, max_bytes=MAX_FILE_BYTES, follow=False)
            head: bytes | None = data
            text, problem = _text(data)
        except FileNotFoundError:
            continue  # deleted this instant
        except UnreadableFileError as error:
            head, text, problem = _head(path), "", str(error)
        if head is not None and not _is_of_a_note(head):
            others.append(name)
            continue
        if problem:
            refused.append({"name": name, "outcome": "refused", "id": "", "problem": problem})
        else:
            files.append({"name": name, "text": text})
    return files, refused, others


def _head(path: Path) -> bytes | None:
    """Return the beginning of a file that is too large, or behind a link; None when it has none."""
    try:
        if not path.is_file():  # a pipe would not end
            return None
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError:
        return None


def _text(data: bytes) -> tuple[str, str]:
    """Return the text of a file, and why it cannot be used, or ""."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "", "it is not UTF-8 text"
    return text, "it contains a NUL character" if "\0" in text else ""


def _batches(files: Sequence[dict[str, str]]) -> Iterator[list[dict[str, str]]]:
    """Yield the files in as few requests as have room for them."""
    batch: list[dict[str, str]] = []
    size = 0
    for file in files:
        weight = len(json.dumps(file))
        if batch and (size + weight > MAX_BATCH_BYTES or len(batch) == MAX_BATCH_FILES):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += weight
    if batch:
        yield batch


def _tally(counts: Counter[str]) -> str:
    return ", ".join(f"{number} {outcome}" for outcome, number in sorted(counts.items()))


def _print_outcome(context: Context, outcome: str, name: str, problem: str = "") -> None:
    line = f"{outcome:<9}  {name}" + (f": {problem}" if problem else "")
    context.output.paragraph(line, style=STYLES.get(outcome, ""))
