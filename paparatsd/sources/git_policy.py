"""What git may be asked in the *read* way, and the settings that keep it from running anything."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from paparatsd.errors import GitFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

_DIFF_VERBS = frozenset({"diff", "diff-tree", "log", "show"})
_VERBS = _DIFF_VERBS | {
    "cat-file",
    "check-ignore",
    "for-each-ref",
    "ls-files",
    "ls-tree",
    "merge-base",
    "rev-list",
    "rev-parse",
    "symbolic-ref",
    "worktree",
}

# Options that run a program, write a file, leave the repository or read the work tree through
# filters. git accepts any unambiguous beginning of a long option, so beginnings count too.
_FORBIDDEN_OPTIONS = (
    "--alternate-refs",
    "--exec",
    "--ext-diff",
    "--filters",
    "--no-index",
    "--open-files-in-pager",
    "--output",
    "--show-signature",
    "--textconv",
    "--upload-pack",
)
_HARMLESS_BEGINNINGS = frozenset({"--text", "--no"})
_COMPARES_CONTENT = re.compile(r"-[cdosiktvfuz]*m|--m")
_COMMIT_OR_RANGE = re.compile(r"[0-9a-f]{7,64}(\.{2,3}[0-9a-f]{7,64})?")

_NOT_A_PROGRAM = os.devnull  # cannot be executed, and fails at once where it is tried
READ_SETTINGS = (
    # Nothing below may name a program, whatever a repository's own file says.
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.pager=cat",
    f"core.editor={_NOT_A_PROGRAM}",
    f"core.askPass={_NOT_A_PROGRAM}",
    f"core.sshCommand={_NOT_A_PROGRAM}",
    f"core.gitProxy={_NOT_A_PROGRAM}",
    f"core.alternateRefsCommand={_NOT_A_PROGRAM}",
    f"core.attributesFile={os.devnull}",
    f"gpg.program={_NOT_A_PROGRAM}",
    f"gpg.openpgp.program={_NOT_A_PROGRAM}",
    f"gpg.x509.program={_NOT_A_PROGRAM}",
    f"gpg.ssh.program={_NOT_A_PROGRAM}",
    f"gpg.ssh.defaultKeyCommand={_NOT_A_PROGRAM}",
    "log.showSignature=false",
    "credential.helper=",
    "protocol.allow=never",
    "submodule.recurse=false",
    "diff.submodule=short",  # the longer forms run git inside the submodule, without our settings
    # Larger content is binary to a comparison: git would hold it many times over.
    "core.bigFileThreshold=32m",
    # What the answer looks like is ours to say.
    "core.quotePath=false",
    "core.untrackedCache=false",  # trusts the mtimes of directories; we want what is there
    "color.ui=false",
    "diff.algorithm=default",
    "diff.interHunkContext=0",
    "diff.mnemonicPrefix=false",
    "diff.noprefix=false",
    f"diff.orderFile={os.devnull}",
    "diff.relative=false",
    "format.pretty=medium",
    "i18n.logOutputEncoding=UTF-8",
    "log.decorate=false",
    "log.follow=false",
)


def check_arguments(args: Sequence[str]) -> None:
    """Raise GitFailed unless the verb and all options are on the list of what is safe."""
    verb = args[0] if args else ""
    if verb not in _VERBS:
        raise GitFailed(f"git {verb!r} is not among the commands that only read")
    options = _before_separator(args[1:])
    for argument in options:
        name = argument.split("=", 1)[0]
        if _is_forbidden(name):
            raise GitFailed(f"git {verb} {name} is not allowed: it may run a program")
    if any("\0" in argument for argument in args):
        raise GitFailed(f"git {verb} was given an argument with a NUL byte")
    _check_form(verb, options)


def with_safe_options(args: Sequence[str]) -> list[str]:
    """Return the arguments with the options that every call of this verb needs."""
    if args[0] in _DIFF_VERBS:
        return [args[0], "--no-ext-diff", "--no-textconv", *args[1:]]
    return list(args)


def _before_separator(arguments: Sequence[str]) -> list[str]:
    for index, argument in enumerate(arguments):
        if argument in ("--", "--end-of-options"):
            return list(arguments[:index])
    return list(arguments)


def _is_forbidden(name: str) -> bool:
    if not name.startswith("--") or len(name) < 4 or name in _HARMLESS_BEGINNINGS:
        return False
    return any(option.startswith(name) for option in _FORBIDDEN_OPTIONS)


def _check_form(verb: str, options: Sequence[str]) -> None:
    """Raise GitFailed for a verb that is safe in one form only and comes in another."""
    if verb == "worktree" and options[:1] != ["list"]:
        raise GitFailed("git worktree is allowed only as 'worktree list'")
    if verb == "symbolic-ref" and list(options) != ["-q", "HEAD"]:
        raise GitFailed("git symbolic-ref is allowed only as 'symbolic-ref -q HEAD'")
    if verb == "ls-files" and any(_COMPARES_CONTENT.match(option) for option in options):
        raise GitFailed("git ls-files is not allowed to compare content: that runs clean filters")
    if verb == "diff":
        named = [option for option in options if not option.startswith("-")]
        whole = [name for name in named if _COMMIT_OR_RANGE.fullmatch(name)]
        ends = sum(2 if ".." in name else 1 for name in whole)
        if whole != named or ends != 2:
            raise GitFailed("git diff is allowed only between two commits given by their ids")
