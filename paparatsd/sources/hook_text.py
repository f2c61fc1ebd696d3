"""The text of an installed hook: made from the packaged files, and read back."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paparatsd.errors import BadSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

KINDS = ("post-commit", "post-checkout", "post-merge", "post-rewrite")
ORIGINAL_SUFFIX = ".paparats-original"
MARK = b"# paparats hook "
_HEADER = '# paparats hook 1; do not edit, "paparats hooks uninstall" takes it out again; '
_DIGEST = re.compile(rb"^#!/bin/sh\n# paparats hook \d+;.*; ([0-9a-f]{16})\n")
_REGISTERED = re.compile(
    r"^# registered ('(?:[^'\n]|'\\'')*') ('(?:[^'\n]|'\\'')*')$", re.MULTILINE
)
_SHELLS = frozenset({"sh", "ash", "bash", "dash", "ksh", "ksh93", "mksh", "zsh"})
_OWN_NAME = re.compile(rb"\$0|argv\[0\]|__file__|__FILE__|\bPROGRAM_NAME\b|basename")


@dataclass(frozen=True, slots=True, order=True)
class Registration:
    """One daemon's spool directory and the repository (common git directory) that told it."""

    spool: str
    repository: str


@dataclass(frozen=True, slots=True)
class InstalledHook:
    """A hook file of ours. `edited`: somebody changed it, so it is not ours to replace."""

    registrations: tuple[Registration, ...]
    edited: bool


def load_sources(directory: Path) -> Mapping[str, str]:
    """Return the packaged texts: one stub for each kind, and "body"."""
    texts = {kind: (directory / kind).read_text("utf-8") for kind in KINDS}
    return {**texts, "body": (directory / "body.sh").read_text("utf-8")}


def render_hook(
    sources: Mapping[str, str],
    kind: str,
    registrations: Iterable[Registration],
    original: bytes | None,
) -> bytes:
    """Return the file for one kind; `original` is the content of the hook to run first, if any."""
    told = sorted(set(registrations))
    registered = [f"# registered {_quote(one.spool)} {_quote(one.repository)}" for one in told]
    spools = sorted({one.spool for one in told})
    tell = ["tell() {", *(f'    spool {_quote(spool)} "$@"' for spool in spools), "}"]
    text = sources[kind].replace("#@registered", "\n".join([*registered, *tell]))
    text = text.replace("#@chain", _chain(kind, original)).replace("#@body", sources["body"])
    shebang, _, rest = text.partition("\n")
    data = os.fsencode(rest)
    return os.fsencode(f"{shebang}\n{_HEADER}{_digest(data)}\n") + data


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _quote(path: str) -> str:
    if "\n" in path or "\0" in path:
        raise BadSettings(f"{path!r} cannot be written into a git hook; choose a plain path")
    escaped = path.replace("'", "'\\''")
    return f"'{escaped}'"


def _unquote(word: str) -> str:
    return word[1:-1].replace("'\\''", "'")


def parse_hook(data: bytes) -> InstalledHook | None:
    """Read a hook file back; None when it is not ours."""
    if MARK not in data[:200]:
        return None
    header = _DIGEST.match(data)
    edited = header is None or header[1].decode() != _digest(data[header.end() :])
    found = _REGISTERED.findall(os.fsdecode(data))
    registrations = tuple(Registration(_unquote(spool), _unquote(repo)) for spool, repo in found)
    return InstalledHook(registrations, edited)


def can_chain(original: bytes) -> bool:
    """Whether a hook works from under another file name.

    A shell script keeps its `$0` (it is read by its own shell under the old name). Any other
    program sees the new name, which harms only those that look at their own name.
    """
    return _shell_of(original) is not None or (
        original.startswith(b"#!") and _OWN_NAME.search(original) is None
    )


def _shell_of(original: bytes) -> list[str] | None:
    """Return the command of the shell a script is for, None for other programs."""
    if not original.startswith(b"#!"):
        # The system hands a text without a first line of this kind to sh.
        return None if b"\0" in original[:512] else ["/bin/sh"]
    words = os.fsdecode(original[2:].split(b"\n", 1)[0]).split()
    names = [word for word in words if not word.startswith("-") and "=" not in word]
    if names and Path(names[0]).name == "env":
        names = names[1:]
    return words if names and Path(names[0]).name in _SHELLS else None


def _chain(kind: str, original: bytes | None) -> str:
    if original is None:
        return "has_chained() { false; }"
    place = f"${{0%/*}}/{kind}{ORIGINAL_SUFFIX}"
    shell = _shell_of(original)
    if shell is None:
        call = f'"{place}"'
    else:
        call = " ".join(_quote(word) for word in shell) + f""" -c '. "{place}"' "$0\""""
    return f'has_chained() {{ [ -x "{place}" ]; }}\nchained() {{ {call} "$@"; }}'
