"""Paths of routes and addresses of requests, in one spelling: "/users/{}"."""

from __future__ import annotations

import re
from functools import lru_cache

from paparatsd.chunks.arguments import read_call

METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
ANY = "ANY"
MAX_PATH_CHARS = 200

_STRING = re.compile(
    r"(?P<prefix>[A-Za-z@$]{0,3})(?P<quote>\"\"\"|[\"'`])(?P<inside>.*?)(?<!\\)(?P=quote)",
    re.DOTALL,
)
_WRAPPER = re.compile(
    r"(?:new\s+)?&?[\w.:]*(?:Sprintf|format!?|URI\.create|URI|Uri|URL|url\.Parse|uri|parse|text|"
    r"absolute|Url::parse|from_string)\s*\("
)
_FILLED = re.compile(
    r"\$\{[^{}]*\}|#\{[^{}]*\}|\{\{[^{}]*\}\}|\{[^{}]*\}|\$\w+|%[+#]?\d*[sdvqxi]|%\(\w+\)s"
)
_HOST = re.compile(r"(?:[a-z][a-z+.-]*:)?//([^/?#\s]*)", re.IGNORECASE)
_REGEX_GROUP = re.compile(r"\((?:\?P?<\w+>|\?:)?(?:[^()\\]|\\.|\([^()]*\))*\)[?*+]?")
_OWN_HOSTS = re.compile(
    r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|test|testserver|example\.(?:com|org|net))(?::\d+)?",
    re.IGNORECASE,
)
_REST = "{*}"


@lru_cache(maxsize=4_096)
def route_path(text: str) -> str:
    """Return a route's path in the one spelling; whatever a segment takes is "{}".

    >>> route_path("users/<int:id>/files/*")
    '/users/{}/files/{*}'
    """
    text = text.strip().removeprefix("^").removesuffix("$").removesuffix("(.:format)")
    text = text.partition("?")[0] if text.partition("?")[2].isidentifier() else text
    text = re.sub(r":\w+\([^()]*\)\??", "{}", text)
    if "(" in text or "\\" in text:
        text = _REGEX_GROUP.sub("{}", text).replace("\\", "")
    segments = [one for one in re.split(r"/(?![^{<\[]*[}>\]])", text) if one]
    return "/" + "/".join(map(_segment, segments))


def _segment(text: str) -> str:
    if text.startswith(("*", "{*", "<path:", "{path:", "[...", "{proxy+")) or text.endswith(
        ":path}"
    ):
        return _REST
    if text.startswith(":") or any(mark in text for mark in "{<["):
        return "{}"
    return text


def join_paths(*paths: str) -> str:
    """Return paths one after the other.

    >>> join_paths("/api/", "", "users")
    '/api/users'
    """
    parts = [part for path in paths for part in path.split("/") if part]
    return "/" + "/".join(parts)


def literal_path(text: str) -> str | None:
    """Return what is inside a literal string that an argument is, None for anything else."""
    if len(text) > 2 * MAX_PATH_CHARS:
        return None
    found = _STRING.fullmatch(text.strip())
    return found["inside"] if found is not None and "\n" not in found["inside"] else None


def read_address(text: str, joined: str = "+") -> tuple[str, str] | None:
    """Return the host, if one is written out, and the path of what an argument asks for.

    `joined` is how the language joins strings. None when the argument tells no path.

    >>> read_address('f"{BASE}/users/{user.id}?all=1"')
    ('', '/users/{}')
    >>> read_address('"https://api.acme.dev/v1/" + name')
    ('api.acme.dev', '/v1/{}')
    """
    if "/" not in text or len(text) > 2_000:
        return None
    return _address(text, joined)


@lru_cache(maxsize=1_024)
def _address(text: str, joined: str) -> tuple[str, str] | None:
    text = text.strip().lstrip("&")
    while (wrapper := _WRAPPER.match(text)) is not None:
        text = read_call(text, wrapper.end() - 1)[0]
    written = _written(text, joined)
    if written is None or "/" not in written or any(one in written for one in " \n\t<>"):
        return None
    host = _HOST.match(written)
    name = ""
    if host is not None:
        name, written = host[1], written[host.end() :]
    elif written.startswith("{}"):
        written = written.removeprefix("{}")
        if not written.startswith("/"):
            return None
    elif not written.startswith("/"):
        written = f"/{written}" if written[0].isalnum() else ""
    path = re.split(r"[?#]", written, maxsplit=1)[0]
    if len(path) > MAX_PATH_CHARS or (not path and host is None):
        return None
    if "{}" in name or _OWN_HOSTS.fullmatch(name) is not None:
        name = ""
    return name, "/" + "/".join("{}" if "{}" in one else one for one in path.split("/") if one)


def _written(text: str, joined: str) -> str | None:
    """Return the text that an expression of strings makes, "{}" for what is filled in."""
    strings = list(_STRING.finditer(text))
    if not strings or len(strings) > 20:
        return None
    out, end = "", 0
    for found in strings:
        between = text[end : found.start()].strip().strip(joined).strip()
        out += "{}" if between else ""
        out += _FILLED.sub("{}", found["inside"])
        end = found.end()
    rest = text[end:].strip()
    if rest.startswith(joined) and rest.strip(f"{joined} "):
        out += "{}"
    return out.replace("{}{}", "{}")
