"""What a remote's URL says: which forge it is, and where its web pages begin.

A URL comes from a repository's configuration, so from anybody. User names, passwords and tokens
in it go no further than this module.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote, unquote, urlsplit

MAX_URL_CHARS = 2_000
MAX_SEGMENTS = 20


class Forge(StrEnum):
    """Kinds of sites whose pages have known addresses."""

    GITHUB = "github"
    GITLAB = "gitlab"
    BITBUCKET = "bitbucket"
    BITBUCKET_SERVER = "bitbucket-server"
    GITEA = "gitea"
    """Forgejo and Codeberg too: their pages have the same addresses."""
    SOURCEHUT = "sourcehut"
    AZURE = "azure"


@dataclass(frozen=True, slots=True)
class Remote:
    """One repository on a site.

    `base` is the site's web address without a slash at its end, `path` the repository's path
    below it, percent-encoded ("owner/repo"); of Azure "organisation/project/repository", of a
    Bitbucket server "PROJECT/repo". `forge` is None when the site is not known.
    """

    base: str
    host: str
    path: str
    forge: Forge | None


_ALIASES = {
    "www.github.com": "github.com",
    "ssh.github.com": "github.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "altssh.gitlab.com": "gitlab.com",
    "ssh.dev.azure.com": "dev.azure.com",
    "vs-ssh.visualstudio.com": "dev.azure.com",
}
"""Hosts that only speak ssh, and the web's name of each."""
_EXACT = {
    "bitbucket.org": Forge.BITBUCKET,
    "codeberg.org": Forge.GITEA,
    "gitea.com": Forge.GITEA,
    "git.sr.ht": Forge.SOURCEHUT,
    "dev.azure.com": Forge.AZURE,
}
_NAMED = (
    ("github", Forge.GITHUB),
    ("gitlab", Forge.GITLAB),
    ("bitbucket", Forge.BITBUCKET_SERVER),
    ("gitea", Forge.GITEA),
    ("forgejo", Forge.GITEA),
)
"""A site of one's own is told by its name: `gitlab.example.org`."""
_WEB = frozenset({"http", "https"})
_DEFAULT_PORTS = {"http": 80, "https": 443}
_SCHEMES = _WEB | {"ssh", "git", "git+ssh", "ssh+git"}
# A second `@` in front of the path: git would take a password for the host, we must not show it.
_SCP = re.compile(r"(?:[^@/:\s]+@)?([A-Za-z0-9.-]+):(?!//)((?!@)[^@/]*(?:/.*)?)")
_HOST = re.compile(r"(?=.{4,253}\Z)(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]*[a-z][a-z0-9-]*")
_NUMERIC_HOST = re.compile(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}")
_VISUAL_STUDIO = ".visualstudio.com"


def parse_remote(url: str) -> Remote | None:
    """Read the URL of a remote as git takes it; None where no web page can be told from it.

    `https://`, `ssh://`, `git://` and `git@host:owner/repo.git` are understood. Local paths,
    aliases of an ssh configuration (no dot in the host) and hostile text give None.
    """
    if not 0 < len(url) <= MAX_URL_CHARS or not url.isprintable() or "\\" in url:
        return None
    scheme, host, port, path = _split(url.strip())
    host = _ALIASES.get(host, host)
    segments = clean_segments(path)
    if segments is None or not is_host(host):
        return None
    forge = _forge_of(host)
    if forge is Forge.AZURE:
        return _azure(host, segments)
    if forge is Forge.BITBUCKET_SERVER and scheme in _WEB and segments[0] == "scm":
        segments = segments[1:]
    segments[-1] = segments[-1].removesuffix(".git")
    if len(segments) < 2 or not segments[-1]:
        return None
    base = f"{'http' if scheme == 'http' else 'https'}://{host}"
    if scheme in _WEB and port not in (None, _DEFAULT_PORTS[scheme]):
        base += f":{port}"
    return Remote(base, host, "/".join(segments), forge)


def _split(url: str) -> tuple[str, str, int | None, str]:
    """Return (scheme, host, port, path), all empty when it is none of the forms we know."""
    nothing = ("", "", None, "")
    if "://" not in url:
        match = _SCP.fullmatch(url)
        return ("ssh", match[1].lower(), None, match[2]) if match else nothing
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return nothing
    if parts.scheme.lower() not in _SCHEMES or parts.query or parts.fragment:
        return nothing
    return parts.scheme.lower(), (parts.hostname or "").rstrip("."), port, parts.path


def is_host(host: str) -> bool:
    """Say whether this is a full name or an IPv4 address, in lower case."""
    return bool(_HOST.fullmatch(host) or _NUMERIC_HOST.fullmatch(host))


def clean_segments(path: str) -> list[str] | None:
    """Return the parts of a URL's path, each encoded anew; None if one of them is hostile."""
    parts = path.strip("/").split("/")
    if len(parts) > MAX_SEGMENTS:
        return None
    clean = [unquote(part) for part in parts]
    for part in clean:
        if part in ("", ".", "..") or not part.isprintable() or "/" in part or "\\" in part:
            return None
    return [quote(part, safe="~") for part in clean]


def _forge_of(host: str) -> Forge | None:
    if host in _EXACT:
        return _EXACT[host]
    if host.endswith(_VISUAL_STUDIO):
        return Forge.AZURE
    return next((forge for name, forge in _NAMED if name in host), None)


def _azure(host: str, segments: list[str]) -> Remote | None:
    """Read `org/project/_git/repo`, `v3/org/project/repo` and the older host per organisation."""
    if host.endswith(_VISUAL_STUDIO):
        segments = [host.removesuffix(_VISUAL_STUDIO), *segments]
    if len(segments) > 1 and segments[1] == "DefaultCollection":
        del segments[1]
    if segments[0] == "v3":
        segments = [*segments[1:-1], "_git", segments[-1]]
    if len(segments) == 3 and segments[1] == "_git":
        # The repository that has the project's name is written without the project.
        segments.insert(1, segments[2])
    if len(segments) != 4 or segments[2] != "_git":
        return None
    organisation, project, _, repository = segments
    path = f"{organisation}/{project}/{repository}"
    return Remote("https://dev.azure.com", "dev.azure.com", path, Forge.AZURE)
