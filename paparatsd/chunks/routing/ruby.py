"""Ruby: Rails' routes.rb, Sinatra; Faraday, HTTParty, Net::HTTP, RestClient, request specs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.chunks.routing.page import MAX_VALUE_CHARS
from paparatsd.chunks.routing.urls import join_paths

if TYPE_CHECKING:
    from paparatsd.chunks.routing.page import Page

MAX_DEPTH = 30
MAX_LINE_CHARS = 1_000
"""Nobody writes longer statements in a file of routes: what follows is not read."""

_OPENS = re.compile(r"\bdo\b\s*(?:\|[^|]*\|)?\s*(?:#.*)?$")
_ENDS = re.compile(r"^\s*end\b")
_WORD = re.compile(r"^\s*(?P<word>\w+)\b[ (]*(?P<rest>.*)$")
_FIRST = re.compile(r"\s*(?::(\w+[?!]?)|[\"']([^\"']*)[\"'])")
_TO = re.compile(r"(?:\bto:|\bto\s*=>|=>)\s*[\"']([\w/]+)#(\w+)[\"']")
_OPTION = re.compile(
    r"\b(path|module|controller|action|on|only|except|param):\s*(\[[^\]]*\]|%i\[[^\]]*\]|:?[\"']?[\w/]+)"
)
_KEYWORDS = frozenset({"if", "unless", "case", "class", "module", "def", "begin", "while"})
_VERBS = frozenset({"get", "post", "put", "patch", "delete", "match"})
_ACTIONS = {
    "index": ("GET", ""), "create": ("POST", ""), "new": ("GET", "/new"), "show": ("GET", "/{}"),
    "edit": ("GET", "/{}/edit"), "update": ("PATCH", "/{}"), "destroy": ("DELETE", "/{}"),
}  # fmt: skip
_SINGLE = {
    "create": ("POST", ""), "new": ("GET", "/new"), "show": ("GET", ""), "edit": ("GET", "/edit"),
    "update": ("PATCH", ""), "destroy": ("DELETE", ""),
}  # fmt: skip
_SINATRA = re.compile(
    r"^[^\S\n]*(get|post|put|patch|delete|head|options)[ (]+[\"']([^\"'\n]*)[\"'].*?(?:\bdo\b|\{)",
    re.M,
)
_SPEC = re.compile(r"^[^\S\n]*(get|post|put|patch|delete|head)[ (]+([\"'][^\"'\n]*[\"'])", re.M)
_CLIENT = re.compile(
    r"\.(?P<verb>get|post|put|patch|delete|head|get_response|post_form)(?P<open>\(|[ ]+(?=[\"']))"
)
_CLIENT_NAME = re.compile(
    r"(?:Faraday|HTTParty|HTTP|Net::HTTP|RestClient|Excon|Typhoeus|@?\w*(?:conn|connection|client|"
    r"http|api|faraday|session))$"
)


def read(page: Page) -> None:
    """Find all in a file."""
    text = page.text
    if (
        ".routes.draw" in text
        or page.path.rpartition("/")[2] == "routes.rb"
        or "/routes/" in page.path
    ):
        _Routes(page).read()
        return
    if any(one in text for one in ("inatra", "Grape::API", "Roda")):
        for found in _SINATRA.finditer(text):
            if not page.is_comment(found.start(1)):
                page.route(found[1], found[2], found.start(1))
    elif page.path.startswith(("spec/", "test/")) or "/spec/" in page.path or "/test/" in page.path:
        for found in _SPEC.finditer(text):
            page.request(found[1], found[2].replace("#{", "${"), found.start(1))
    for found in _CLIENT.finditer(text):
        named = _CLIENT_NAME.search(page.before(found.start(), ":@.")) is not None
        if named and not page.is_comment(found.start()):
            _ask(page, found)


def _ask(page: Page, found: re.Match[str]) -> None:
    if found["open"] == "(":
        address = page.call(found.end() - 1)[0]
    else:
        address = re.split(r",|\n", page.text[found.end() : found.end() + 300], maxsplit=1)[0]
    page.request(found["verb"].partition("_")[0], address, found.start())


class _Routes:
    """Reads what `routes.draw` is given, line by line, with the blocks around each line."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._blocks: list[tuple[str, str, str]] = []
        """Of each open block: its path, its module, and the controller of what is in it."""

    def read(self) -> None:
        """Note all routes."""
        at = 0
        for line in self._page.text.split("\n"):
            code = re.sub(r"#(?!\{)[^\"']*$", "", line[:MAX_LINE_CHARS])
            opens = _OPENS.search(code) is not None
            if _ENDS.match(code) is not None:
                if self._blocks:
                    self._blocks.pop()
            elif (word := _WORD.match(code)) is not None:
                block = self._statement(word["word"], word["rest"], at + word.start("word"))
                if (opens or word["word"] in _KEYWORDS) and len(self._blocks) < MAX_DEPTH:
                    self._blocks.append(block)
            at += len(line) + 1

    def _statement(self, word: str, rest: str, at: int) -> tuple[str, str, str]:
        """Read a statement; return what it says of the block that it may open."""
        options = {one[1]: one[2].strip(":\"'") for one in _OPTION.finditer(rest)}
        first = _FIRST.match(rest)
        name = (first[1] or first[2] or "") if first is not None else ""
        if word in ("resources", "resource") and name:
            return self._resources(word, rest, options, at)
        if word == "namespace" and name:
            return options.get("path", name), options.get("module", name), ""
        if word == "scope":
            return (
                options.get("path", name),
                options.get("module", ""),
                options.get("controller", ""),
            )
        if word == "controller":
            return "", "", name
        if word == "collection" and self._blocks and self._blocks[-1][0].endswith("/{}"):
            return "..", "", ""
        if word == "member":
            return "", "", ""
        if word == "root":
            target = re.search(r"[\"']([\w/]+)#(\w+)[\"']", rest)
            self._note("GET", "", target and target[1], target and target[2], at)
        elif word in _VERBS:
            self._verb(word, rest, name, options, at)
        return "", "", ""

    def _verb(self, word: str, rest: str, name: str, options: dict[str, str], at: int) -> None:
        target = _TO.search(rest)
        controller = target[1] if target else options.get("controller") or self._controller()
        action = target[2] if target else options.get("action") or name.rpartition("/")[2]
        if target is None and "/" in name and not options.get("controller"):
            controller = name.strip("/").rpartition("/")[0] or controller
        verbs = ["ANY"] if word == "match" else [word]
        if word == "match":
            verbs = (
                re.findall(r"\b(get|post|put|patch|delete)\b", rest.partition("via")[2]) or verbs
            )
        path = f"../{name}" if options.get("on") == "collection" else name
        for verb in verbs:
            self._note(verb, path, controller, action, at)

    def _resources(
        self, word: str, rest: str, options: dict[str, str], at: int
    ) -> tuple[str, str, str]:
        single = word == "resource"
        known = _SINGLE if single else _ACTIONS
        only, without = (re.findall(r"\w+", options.get(one, "")) for one in ("only", "except"))
        names = re.split(r",\s*(?=:\w+\s*(?:,|$|do\b))", rest)
        block = ("", "", "")
        for one in names:
            first = _FIRST.match(one)
            name = (first[1] or first[2] or "") if first is not None else ""
            if not name:
                continue
            controller = options.get("controller") or (f"{name}s" if single else name)
            path = options.get("path", name)
            for action, (verb, more) in known.items():
                wanted = action in only if "only" in options else action not in without
                if wanted:
                    self._note(verb, path + more, controller, action, at)
            block = (path if single else f"{path}/{{}}", options.get("module", ""), controller)
        return block

    def _controller(self) -> str:
        return next((one[2] for one in reversed(self._blocks) if one[2]), "")

    def _note(
        self, verb: str, path: str, controller: str | None, action: str | None, at: int
    ) -> None:
        if not controller or not action:
            return
        parts = [one[0] for one in self._blocks]
        if sum(map(len, parts)) > 2 * MAX_VALUE_CHARS:
            self._page.look()
            return
        joined: list[str] = []
        for part in join_paths(*parts, path).split("/"):
            if part == ".." and joined:
                joined.pop()
            elif part not in ("", ".."):
                joined.append(part)
        modules = [one[1] for one in self._blocks if one[1]]
        full = "::".join(_constant(one) for one in [*modules, controller])
        self._page.route(verb, "/".join(joined), at, f"{full}Controller.{action}")


def _constant(path: str) -> str:
    """Return the constant of a path.

    >>> _constant("admin/user_roles")
    'Admin::UserRoles'
    """
    return "::".join(
        "".join(word[:1].upper() + word[1:] for word in part.split("_"))
        for part in path.strip("/").split("/")
    )
