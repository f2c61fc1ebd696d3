"""What is wrong with a remote, in a sentence with the way out, from what git complains of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.sources.clone import NothingThereError
from paparatsd.sources.git import printable
from paparatsd.sources.remote_address import variable_of

if TYPE_CHECKING:
    from paparatsd.errors import GitFailed
    from paparatsd.sources.remote_address import RemoteAddress

_SIGNS: tuple[tuple[str, str], ...] = (
    (r"No space left on device|Disk quota exceeded", "disk"),
    (r"Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED", "host key"),
    (r"Permission denied|Authentication failed|could not read (Username|Password)"
     r"|terminal prompts disabled|returned error: 40[13]|Access denied", "access"),
    (r"unable to update url base from redirection|returned error: 30[12378]"
     r"|Maximum \(0\) redirects", "moved"),
    (r"[Rr]epository .{0,300}not found|returned error: 404|does not appear to be a git repository"
     r"|No such file or directory|not a git repository|access denied or repository not exported",
     "gone"),
    (r"couldn't find remote ref", "branch"),
    (r"dubious ownership", "owner"),
    (r"Could not resolve host|Couldn't connect|Connection (refused|timed out|reset)"
     r"|Failed to connect|Network is unreachable|unable to connect|Operation timed out"
     r"|early EOF|unexpected disconnect|RPC failed|returned error: 5\d\d|transfer closed"
     r"|Connection closed|No route to host", "network"),
    (r"SSL|certificate", "certificate"),
    (r"fsck error|fsck-objects|object corrupt|index-pack failed|bad object|invalid index-pack"
     r"|unpack-objects", "objects"),
)  # fmt: skip
_WORDS = {
    "disk": "the disk is full; what was there before is kept",
    "gone": "there is no repository at this address, or it is not for us to see",
    "branch": "what is followed is not there any more",
    "moved": "the repository has moved: give its new address",
    "network": "the host cannot be reached, or the transfer broke off",
    "certificate": "the host's certificate is not trusted; GIT_SSL_CAINFO names others to trust",
    "objects": "what the remote sent does not pass the checks of git",
    "owner": "the repository belongs to another user, so git does not read it",
}


def trouble_words(error: GitFailed, address: RemoteAddress, *, has_token: bool) -> str:
    """Return what is wrong, and what to do about it; nothing in it is secret."""
    if isinstance(error, NothingThereError):
        return str(error)
    text = f"{error.complaint}\n{error}"
    kind = next((kind for sign, kind in _SIGNS if re.search(sign, text)), "")
    said = printable(str(error).rpartition(" failed: ")[2][:300])
    if kind == "access":
        return f"{_access_words(address, has_token=has_token)} ({said})"
    if kind == "host key":
        return f"ssh does not know the host {address.host}: connect once with `ssh {address.host}`"
    if kind == "gone" and address.scheme == "https" and not has_token:
        advice = f"a private one needs {variable_of(address.host)} in the daemon's environment"
        return f"{_WORDS[kind]}; {advice} ({said})"
    return f"{_WORDS[kind]} ({said})" if kind else printable(str(error)[:500])


def _access_words(address: RemoteAddress, *, has_token: bool) -> str:
    if address.scheme == "ssh":
        return (
            f"{address.host} does not accept the key: add it to the ssh agent of the daemon, and "
            "to your account there"
        )
    if has_token:
        return f"{address.host} does not accept the token, or it may not read this repository"
    return (
        f"{address.host} asks who we are: set {variable_of(address.host)} in the daemon's "
        "environment to a token that may read the repository"
    )
