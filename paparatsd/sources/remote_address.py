"""What a repository elsewhere may be called: the forms of its URL, checked and made plain.

A URL goes to git's command line, into `projects.yml`, logs and the status, so one that carries a
password is refused, and so is one that could be taken for an option or another transport.
"""

from __future__ import annotations

import hashlib
import ipaddress
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from paparatsd.errors import BadQuery
from paparatsd.naming import default_project_name

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_URL_CHARS = 1_000
GITHUB = "https://github.com/"
TOKEN_VARIABLE = "PAPARATS_GIT_TOKEN_"  # noqa: S105 - the beginning of a variable's name
SCHEMES = ("https", "ssh", "file", "http")

_SHORT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/[A-Za-z0-9._-]{1,100}")
_USER = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}"
_HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])"
_SCP = re.compile(rf"(?:({_USER})@)?({_HOST}):(?!//)([^\s:\\][^\s\\]*)")
_NETLOC = re.compile(rf"(?:({_USER})@)?({_HOST})(?::([0-9]{{1,5}}))?")
_KNOWN_VARIABLES = {"GITHUB_TOKEN": "github.com", "GITLAB_TOKEN": "gitlab.com"}
_USERS = {"gitlab.com": "oauth2", "bitbucket.org": "x-token-auth"}
"""Whom a token stands for, where any name will not do."""
_ALLOWED = (
    "allowed: owner/repo (on GitHub), https://host/path, ssh://user@host/path, user@host:path, or "
    "the path of a bare repository on this machine"
)


@dataclass(frozen=True, slots=True)
class RemoteAddress:
    """One repository elsewhere: `url` as git is given it; `host` with its port, "" on this disk."""

    url: str
    scheme: str
    host: str
    path: str

    @property
    def name(self) -> str:
        """What a project of it is called by default: the last part of its path."""
        last = self.path.rstrip("/").rpartition("/")[2].removesuffix(".git")
        return default_project_name(last)

    @property
    def is_local(self) -> bool:
        """Whether nothing leaves this machine to reach it, as far as its name says."""
        name = self.host_name
        return not self.host or name == "localhost" or _is_loopback(name)

    @property
    def host_name(self) -> str:
        """The host without its port."""
        if self.host.startswith("["):
            return self.host[1:].partition("]")[0]
        return self.host.partition(":")[0]

    @property
    def for_git(self) -> str:
        """The address as git takes it: it would undo `%41` in a file URL."""
        return self.path if self.scheme == "file" else self.url

    def digest(self) -> str:
        """Return eight characters that tell this address from others."""
        return hashlib.blake2b(self.url.encode("utf-8"), digest_size=4).hexdigest()


def looks_remote(text: str) -> bool:
    """Say whether a text that names no directory here is meant as a repository elsewhere."""
    return "://" in text or bool(_SHORT.fullmatch(text)) or bool(_SCP.fullmatch(text))


def parse_address(text: str) -> RemoteAddress:
    """Return the address that a text means. Raises BadQuery, never with a password in it."""
    text = text.strip()
    if not text or len(text) > MAX_URL_CHARS or not text.isprintable() or text.startswith("-"):
        raise BadQuery(f"this is no address of a repository; {_ALLOWED}")
    if "://" in text:
        return _of_url(text)
    if text.startswith("/"):
        return _on_disk(text)
    if _SHORT.fullmatch(text):
        return _checked(RemoteAddress(f"{GITHUB}{text}", "https", "github.com", text))
    found = _SCP.fullmatch(text)
    if found is None or found[3].startswith("-"):
        shown = text if "@" not in text else text.rpartition("@")[2]
        raise BadQuery(f"{shown!r} is no address of a repository; {_ALLOWED}")
    return _checked(RemoteAddress(text, "ssh", found[2].lower(), found[3]))


def _of_url(text: str) -> RemoteAddress:
    try:
        parts = urlsplit(text)
        user, password = parts.username, parts.password
    except ValueError:
        raise BadQuery(f"this is no URL; {_ALLOWED}") from None
    scheme = parts.scheme.lower()
    if scheme == "file":
        if parts.netloc not in ("", "localhost"):
            raise BadQuery(f"a file URL names no host; {_ALLOWED}")
        return _on_disk(parts.path)
    _refuse_secrets(parts.netloc, scheme, user, password)
    if scheme not in SCHEMES:
        raise BadQuery(f"repositories are not fetched over {scheme}; {_ALLOWED}")
    found = _NETLOC.fullmatch(parts.netloc)
    if found is None or len(parts.path) < 2 or parts.path.startswith("/-"):
        raise BadQuery(f"this URL names no host and path that can be used; {_ALLOWED}")
    if parts.query or parts.fragment:
        raise BadQuery(f"a repository's URL has no '?' and no '#'; {_ALLOWED}")
    host = found[2].lower() + (f":{int(found[3])}" if found[3] else "")
    user_part = f"{found[1]}@" if found[1] and scheme == "ssh" else ""
    path = parts.path.rstrip("/")
    url = f"{scheme}://{user_part}{host}{path}"
    address = RemoteAddress(url, scheme, host, path.lstrip("/"))
    if scheme == "http" and not address.is_local:
        raise BadQuery(f"{host} is only fetched from over https: others could change what is sent")
    return _checked(address)


def _refuse_secrets(netloc: str, scheme: str, user: str | None, password: str | None) -> None:
    if password is None and (user is None or scheme == "ssh") and netloc.count("@") < 2:
        return
    host = netloc.rpartition("@")[2]
    raise BadQuery(
        f"the URL for {host} carries a user name or a password, which would be kept in files and "
        f"shown in lists; leave it out and set the variable {variable_of(host)} for the daemon"
    )


def variable_of(host: str) -> str:
    """Return the environment variable that holds the token for a host."""
    return TOKEN_VARIABLE + re.sub(r"[^A-Za-z0-9]+", "_", host).strip("_").upper()


def git_tokens(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that hold a token for git, with their values."""
    return {
        name: value.strip()
        for name, value in environment.items()
        if value.strip() and (name in _KNOWN_VARIABLES or name.startswith(TOKEN_VARIABLE))
    }


def token_for(address: RemoteAddress, tokens: Mapping[str, str]) -> str:
    """Return `user:token` for a host that is asked over https, "" without a token for it.

    A variable of the host wins: with its port, then without; then GITHUB_TOKEN and GITLAB_TOKEN,
    for these two sites alone.
    """
    if address.scheme not in ("https", "http"):
        return ""
    names = [variable_of(address.host), variable_of(address.host_name)]
    names += [name for name, host in _KNOWN_VARIABLES.items() if host == address.host]
    token = next((tokens[name] for name in names if name in tokens), "")
    user = _USERS.get(address.host_name, "x-access-token")
    return token if not token or ":" in token else f"{user}:{token}"


def _on_disk(path: str) -> RemoteAddress:
    if not path.startswith("/") or ".." in path.split("/"):
        raise BadQuery(f"the path of a repository is given from / on, without '..'; {_ALLOWED}")
    plain = path.rstrip("/") or "/"
    return _checked(RemoteAddress(f"file://{plain}", "file", "", plain))


def _checked(address: RemoteAddress) -> RemoteAddress:
    if address.name in ("", "project"):
        raise BadQuery(f"{address.url!r} names no repository; {_ALLOWED}")
    return address


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
