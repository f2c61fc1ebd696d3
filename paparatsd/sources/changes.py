"""Which files differ between two states of a repository, with their texts before and after.

A state is a commit, git's index, or the work tree. Git only tells names of objects and gives
their bytes; what the work tree holds is read and named here, because git would run filters.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery, GitFailed
from paparatsd.redact import is_secret_name
from paparatsd.sources.content import decode
from paparatsd.sources.git import run_git
from paparatsd.sources.read import NotReadable, open_beneath, to_stat

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from paparatsd.model import Stat
    from paparatsd.sources.repo import Checkout

MAX_FILES = 200
"""Files whose texts are read; of more only the number is told."""
MAX_FILE_BYTES = 2 << 20
MAX_TEXT_BYTES = 24 << 20
"""Of all texts together."""
WORKING, STAGED = "working", "staged"

_RACY_S = 2.0
_REVISION = re.compile(r"[\w@^~./{}+-]{1,200}")
_HASHES = {40: "sha1", 64: "sha256"}


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file with its text in both states, None where it is not there."""

    path: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class Changes:
    """The files that differ, by path; `total` counts those whose texts are not given as well.

    `against` says in words what was compared.
    """

    against: str
    files: tuple[ChangedFile, ...]
    total: int


@dataclass(slots=True)
class WorkTree:
    """What the files of one work tree are called by git; remembers it while they stay put."""

    root: Path
    _known: dict[str, tuple[Stat, str]] = field(default_factory=dict)

    def names(self, paths: Iterable[str], algorithm: str) -> dict[str, str]:
        """Return for each path that is a readable file the name of its content."""
        found = {}
        for path in paths:
            name = self._name(path, algorithm)
            if name:
                found[path] = name
        return found

    def _name(self, path: str, algorithm: str) -> str:
        try:
            with open_beneath(self.root, path) as (descriptor, status):
                stat = to_stat(status)
                known = self._known.get(path)
                if known is not None and known[0] == stat:
                    return known[1]
                with os.fdopen(os.dup(descriptor), "rb") as file:
                    data = file.read(MAX_FILE_BYTES + 1)
        except (NotReadable, OSError):
            return ""
        if len(data) > MAX_FILE_BYTES:
            return ""
        name = object_name(data, algorithm)
        # What was written just now may be written again without its times telling.
        if time.time() - stat.mtime_ns / 1e9 > _RACY_S:
            self._known[path] = (stat, name)
        return name

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file, None for one that cannot be read."""
        try:
            with (
                open_beneath(self.root, path) as (descriptor, _),
                os.fdopen(os.dup(descriptor), "rb") as file,
            ):
                data = file.read(MAX_FILE_BYTES + 1)
        except (NotReadable, OSError):
            return None
        return data if len(data) <= MAX_FILE_BYTES else None


def object_name(data: bytes, algorithm: str = "sha1") -> str:
    """Return what git calls a file with this content."""
    digest = hashlib.new(algorithm, b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


async def read_changes(checkout: Checkout, tree: WorkTree, against: str) -> Changes:
    """Compare two states: "working", "staged", a commit with its parent, or a range A..B.

    Raises BadQuery for what names no commit, GitFailed when git does not answer.
    """
    text = against.strip() or WORKING
    if text == WORKING:
        return await _working(checkout, tree)
    if text == STAGED:
        old, new = await _tree(checkout, await _head(checkout)), await _index(checkout)
        return await _between(checkout, old, new, "the index against HEAD")
    before, after, words = await _ends(checkout, text)
    old, new = await _tree(checkout, before), await _tree(checkout, after)
    return await _between(checkout, old, new, words)


async def _ends(checkout: Checkout, text: str) -> tuple[str, str, str]:
    """Return the two commits of a range, or of a commit and its first parent ("" for none)."""
    first, dots, second = text.partition("..")
    if not dots:
        commit = await _commit(checkout, text)
        parent = await _resolve(checkout, f"{commit}^")
        return parent, commit, f"{text} ({commit[:10]}) against its parent"
    merge_base = second.startswith(".")
    one = await _commit(checkout, first or "HEAD")
    other = await _commit(checkout, second.removeprefix(".") or "HEAD")
    if merge_base:
        args = ["merge-base", one, other]
        found = await _git(checkout, args, ok_codes=(0, 1))
        base = found.decode("ascii").split()
        if not base:
            ends = f"{first or 'HEAD'!r} and {second[1:] or 'HEAD'!r}"
            raise BadQuery(f"{ends} have no common history")
        one = base[0]
    return one, other, f"{text} ({one[:10]}..{other[:10]})"


async def _commit(checkout: Checkout, revision: str) -> str:
    if _REVISION.fullmatch(revision) is None or revision.startswith("-"):
        raise BadQuery(
            f"{revision!r} names no commit; give working, staged, a commit, or a range A..B"
        )
    commit = await _resolve(checkout, revision)
    if not commit:
        raise BadQuery(f"{revision!r} is no commit of {checkout.root.name}")
    return commit


async def _resolve(checkout: Checkout, revision: str) -> str:
    args = ["rev-parse", "-q", "--verify", "--end-of-options", f"{revision}^{{commit}}"]
    found = await _git(checkout, args, ok_codes=(0, 1, 128))
    return found.decode("ascii", "replace").strip()


async def _head(checkout: Checkout) -> str:
    return await _resolve(checkout, "HEAD")


async def _tree(checkout: Checkout, commit: str) -> dict[str, str]:
    """Return the files below the project's root in a commit: path -> object; "" has none."""
    if not commit:
        return {}
    output = await _git(checkout, ["ls-tree", "-r", "-z", commit])
    files = {}
    for entry in output.split(b"\0"):
        meta, tab, path = entry.partition(b"\t")
        parts = meta.split()
        if tab and len(parts) == 3 and parts[1] == b"blob" and parts[0] != b"120000":
            files[os.fsdecode(path)] = parts[2].decode("ascii")
    return files


async def _index(checkout: Checkout) -> dict[str, str]:
    """Return the files in git's index below the project's root; none that is in conflict."""
    output = await _git(checkout, ["ls-files", "-s", "-z"])
    files = {}
    for entry in output.split(b"\0"):
        meta, tab, path = entry.partition(b"\t")
        parts = meta.split()
        if tab and len(parts) == 3 and parts[2] == b"0" and parts[0] in (b"100644", b"100755"):
            files[os.fsdecode(path)] = parts[1].decode("ascii")
    return files


async def _working(checkout: Checkout, tree: WorkTree) -> Changes:
    old = await _tree(checkout, await _head(checkout))
    output = await _git(checkout, ["ls-files", "-t", "-c", "-o", "--exclude-standard", "-z"])
    tagged = [(one[:1], os.fsdecode(one[2:])) for one in output.split(b"\0") if one]
    listed = {path for _, path in tagged}
    # In a sparse checkout these are not on the disk, and that is no change.
    for tag, path in tagged:
        if tag == b"S":
            old.pop(path, None)
            listed.discard(path)
    algorithm = _HASHES[len(next(iter(old.values()), "0" * 40))]
    new = await asyncio.to_thread(tree.names, sorted(listed | old.keys()), algorithm)
    differing = _differing(old, new)
    read = [path for path in differing if path in new][:MAX_FILES]
    texts = await asyncio.to_thread(lambda: {path: tree.read(path) for path in read})
    blobs = await _blobs(checkout, [old[path] for path in differing[:MAX_FILES] if path in old])
    pairs = [
        (path, blobs.get(old.get(path, "")), texts.get(path)) for path in differing[:MAX_FILES]
    ]
    same = {path for path, before, after in pairs if _alike(before, after)}
    files = _decoded([pair for pair in pairs if pair[0] not in same])
    return Changes("the work tree against HEAD", files, len(differing) - len(same))


async def _between(
    checkout: Checkout, old: Mapping[str, str], new: Mapping[str, str], words: str
) -> Changes:
    differing = _differing(old, new)
    some = differing[:MAX_FILES]
    wanted = [one[path] for path in some for one in (old, new) if path in one]
    blobs = await _blobs(checkout, wanted)
    pairs = [(path, blobs.get(old.get(path, "")), blobs.get(new.get(path, ""))) for path in some]
    return Changes(words, _decoded(pairs), len(differing))


def _differing(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    paths = sorted(old.keys() | new.keys())
    return [one for one in paths if old.get(one) != new.get(one) and not is_secret_name(one)]


def _alike(old: bytes | None, new: bytes | None) -> bool:
    """Whether two contents differ in their line ends only (a checkout with `core.autocrlf`)."""
    if old is None or new is None:
        return False
    return old.replace(b"\r\n", b"\n") == new.replace(b"\r\n", b"\n")


def _decoded(pairs: Sequence[tuple[str, bytes | None, bytes | None]]) -> tuple[ChangedFile, ...]:
    return tuple(ChangedFile(path, _text(old), _text(new)) for path, old, new in pairs)


def _text(data: bytes | None) -> str | None:
    if data is None:
        return None
    text = decode(data)
    return text if type(text) is str else None


async def _blobs(checkout: Checkout, names: Sequence[str]) -> dict[str, bytes]:
    """Return the bytes of objects, as far as they are not too large."""
    wanted = list(dict.fromkeys(names))
    if not wanted:
        return {}
    asked = "".join(f"{name}\n" for name in wanted).encode("ascii")
    sizes = (await _git(checkout, ["cat-file", "--batch-check"], stdin=asked)).split(b"\n")
    small, left = [], MAX_TEXT_BYTES
    for line in sizes:
        name, _, rest = line.decode("ascii", "replace").partition(" ")
        kind, _, size = rest.partition(" ")
        if kind == "blob" and int(size) <= min(MAX_FILE_BYTES, left):
            small.append(name)
            left -= int(size)
    asked = "".join(f"{name}\n" for name in small).encode("ascii")
    output = await _git(checkout, ["cat-file", "--batch"], stdin=asked) if small else b""
    return _split_batch(output)


def _split_batch(output: bytes) -> dict[str, bytes]:
    """Read what `cat-file --batch` writes: a line with name, type and size, then the bytes."""
    found, at = {}, 0
    while at < len(output):
        end = output.index(b"\n", at)
        name, _, size = output[at:end].decode("ascii").split(" ")
        found[name] = output[end + 1 : end + 1 + int(size)]
        at = end + int(size) + 2
    return found


async def _git(
    checkout: Checkout,
    args: Sequence[str],
    *,
    stdin: bytes | None = None,
    ok_codes: tuple[int, ...] = (0,),
) -> bytes:
    if not checkout.git:
        raise GitFailed(f"{checkout.root} is no git work tree: there is nothing to compare with")
    return await run_git(
        checkout.root, args, context=checkout.context, stdin=stdin, ok_codes=ok_codes
    )
