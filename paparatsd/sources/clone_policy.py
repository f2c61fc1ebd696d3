"""What git may do in clones that are ours alone, and what keeps a remote from doing more.

Hooks, filters, submodules, LFS and the configuration of the user do not take part; one transport is
open at a time; nobody is asked for a password. What is received is checked as `git fsck` does.
A token travels in git's environment alone: never in an argument, a file or a URL.
"""

from __future__ import annotations

import base64
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paparatsd.errors import GitFailed
from paparatsd.sources.git_policy import READ_SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

_OLD_HARMLESS = (
    "badDate badDateOverflow badEmail badName badTimezone missingEmail missingNameBeforeEmail "
    "missingSpaceBeforeDate missingSpaceBeforeEmail zeroPaddedDate zeroPaddedFilemode"
)
"""Mistakes that early versions of git and other programs made in repositories everybody uses."""

OWN_SETTINGS = (
    *READ_SETTINGS,
    "advice.detachedHead=false",
    "core.autocrlf=false",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "fetch.fsckObjects=true",
    "transfer.fsckObjects=true",
    *(f"fetch.fsck.{name}=ignore" for name in _OLD_HARMLESS.split()),
    "fetch.recurseSubmodules=false",
    "fetch.unpackLimit=100",
    "gc.auto=0",
    "maintenance.auto=false",
    # A transfer slower than this for a minute is one that hangs.
    "http.lowSpeedLimit=500",
    "http.lowSpeedTime=60",
    "init.defaultBranch=main",
)
SSH = (
    "ssh -oBatchMode=yes -oConnectTimeout=20 -oForwardAgent=no -oForwardX11=no "
    "-oPermitLocalCommand=no -oClearAllForwardings=yes"
)
"""The user's own ssh, which asks nobody: keys come from the agent, or need no phrase."""

_PASSED_ON = (
    "SSH_AUTH_SOCK",
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "SSL_CERT_FILE", "SSL_CERT_DIR"),
)
"""How the user's network is reached, and whom to trust there."""

_OPTIONS: dict[str, frozenset[str]] = {
    "checkout": frozenset({"--quiet", "--force", "--no-track", "-B", "--detach"}),
    "clean": frozenset({"-ffdxq"}),
    "config": frozenset(),
    "fetch": frozenset({
        "--quiet", "--force", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance",
        "--no-write-fetch-head", "--unshallow", "--update-shallow",
    }),
    "gc": frozenset({"--quiet", "--prune=1.day.ago"}),
    "init": frozenset({"--quiet", "--template="}),
    "ls-remote": frozenset({"--quiet", "--symref", "--heads"}),
    "update-ref": frozenset({"-d"}),
}  # fmt: skip
"""Verbs, with all the options that each may have."""
_VALUED = re.compile(r"--depth=[1-9][0-9]{0,6}|--object-format=sha(?:1|256)")
_CONFIG_KEY = "remote.origin.url"

_USER_IN_URL = re.compile(r"(?<=://)[^/@\s'\"]+@")
_HEADER = re.compile(r"(?i)\bauthorization\b\s*[:=].*")


@dataclass(frozen=True, slots=True)
class Access:
    """How one remote is reached: the transport, and `user:token` for its host ("" for none).

    `base` is the beginning of the URLs that the token is for, such as https://github.com/.
    """

    scheme: str
    base: str = ""
    credential: str = field(default="", repr=False)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be seen in anything that git says."""
        if not self.credential:
            return ()
        token = self.credential.partition(":")[2]
        return (self.credential, token, _encoded(self.credential))


def check_own_arguments(args: Sequence[str]) -> None:
    """Raise GitFailed unless the verb and each option are on the list, and the rest is no option.

    Everything behind `--` is taken as it is, and nothing that a remote has named stands in front.
    """
    verb = args[0] if args else ""
    if verb not in _OPTIONS:
        raise GitFailed(f"git {verb!r} is not among the commands for our own clones")
    separator = args.index("--") if "--" in args else len(args)
    for argument in args[1:separator]:
        known = not argument.startswith("-") or argument in _OPTIONS[verb]
        if not known and not _VALUED.fullmatch(argument):
            raise GitFailed(f"git {verb} {argument.split('=')[0]} is not allowed")
    if verb == "config" and (len(args) != 3 or args[1] != _CONFIG_KEY or args[2].startswith("-")):
        raise GitFailed(f"git config is allowed only to set {_CONFIG_KEY}")
    if any("\0" in argument for argument in args):
        raise GitFailed(f"git {verb} was given an argument with a NUL byte")


def own_variables(root: Path, access: Access | None, known: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that hold in our clones beside those of every call."""
    variables = {
        "GIT_CEILING_DIRECTORIES": str(root.parent),
        "GIT_LFS_SKIP_SMUDGE": "1",
        "HOME": os.devnull,  # no .netrc, and nothing else of the user's
    }
    if access is None:
        return variables
    variables |= {name: known[name] for name in _PASSED_ON if known.get(name)}
    variables |= {
        "GIT_ALLOW_PROTOCOL": access.scheme,
        "GIT_SSH_COMMAND": SSH,
        "GIT_SSH_VARIANT": "ssh",
    }
    settings = {"http.followRedirects": "initial"}
    if access.credential:
        # Wherever a redirect leads, the header would go too: then the new URL has to be given.
        header = f"Authorization: Basic {_encoded(access.credential)}"
        settings = {"http.followRedirects": "false", f"http.{access.base}.extraHeader": header}
    variables["GIT_CONFIG_COUNT"] = str(len(settings))
    for number, (key, value) in enumerate(settings.items()):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """Return a text without these secrets, users and passwords in URLs, and headers."""
    for secret in sorted((one for one in secrets if one), key=len, reverse=True):
        text = text.replace(secret, "***")
    return _HEADER.sub("***", _USER_IN_URL.sub("***@", text))


def _encoded(credential: str) -> str:
    return base64.b64encode(credential.encode("utf-8")).decode("ascii")
