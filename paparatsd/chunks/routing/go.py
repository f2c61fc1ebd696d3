"""Go: net/http, Gin, Echo, chi, Fiber, Gorilla; http.Get and http.NewRequest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.chunks.arguments import strings_in
from paparatsd.chunks.routing.page import MAX_NAME_CHARS, Prefixes
from paparatsd.chunks.routing.urls import join_paths, literal_path

if TYPE_CHECKING:
    from paparatsd.chunks.arguments import Call
    from paparatsd.chunks.routing.page import Page

MAX_CONVERTED = 10
"""Handlers wrapped in one another."""
_CALL = re.compile(
    r"\.(?P<verb>GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Any|Get|Post|Put|Patch|"
    r"Delete|Head|Options|HandleFunc|Handle|Method|MethodFunc|Group|Route|Mount|PathPrefix|"
    r"NewRequest|NewRequestWithContext|PostForm|Add)\s*\("
)
_ASSIGNED = re.compile(r"(\w+)\s*:?=\s*$")
_METHODS = re.compile(r"\s*\.\s*Methods\s*\(")
_SUBROUTER = re.compile(r"\s*\.\s*Subrouter\s*\(")
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
_CONVERTED = re.compile(
    r"(?:[\w.]+\.)?(?:HandlerFunc|\w*[Hh]andler|\w*[Ww]rap\w*|\w*[Mm]iddleware)"
)
_VERBS = frozenset({"get", "post", "put", "patch", "delete", "head", "options", "any"})
_CLIENT = re.compile(r"(?:^|[._])(?:http|\w*[cC]lient|req|resty|grequests|R\(\))$")


def read(page: Page) -> None:
    """Find all in a file."""
    text = page.text
    groups: dict[str, str] = {}
    nested = Prefixes()
    for found in _CALL.finditer(text):
        if "/" not in text[found.end() : found.end() + 200] or page.is_comment(found.start()):
            continue
        call = page.call(found.end() - 1)
        verb, at = found["verb"], found.start()
        if verb.startswith("NewRequest"):
            place = 1 if verb.endswith("Context") else 0
            method = literal_path(call[place]) or call[place].removeprefix("http.Method")
            page.request(method, call[place + 1], at)
        elif verb in ("Group", "Route", "Mount", "PathPrefix"):
            _group(page, found, call, groups, nested)
        else:
            prefix = join_paths(nested.at(at), groups.get(page.before(at, ".()"), ""))
            _called(page, found, call, prefix)


def _group(
    page: Page, found: re.Match[str], call: Call, groups: dict[str, str], nested: Prefixes
) -> None:
    """Note a prefix: of what is written inside the call, or of the variable it is kept in."""
    path = literal_path(call[0])
    if path is None:
        return
    if call[1].startswith("func"):
        nested.add(found.start(), call.end, path)
        return
    receiver = page.before(found.start(), ".()")
    end = found.start() - len(receiver)
    line = max(page.text.rfind("\n", 0, end) + 1, end - MAX_NAME_CHARS)
    assigned = _ASSIGNED.search(page.text[line:end])
    if assigned is not None and (
        found["verb"] != "PathPrefix" or _SUBROUTER.match(page.text, call.end)
    ):
        groups[assigned[1]] = join_paths(groups.get(receiver, ""), path)


def _called(page: Page, found: re.Match[str], call: Call, prefix: str) -> None:
    verb, at = found["verb"], found.start()
    methods = [verb]
    arguments = list(call.arguments)
    if verb in ("Method", "MethodFunc", "Add") and len(arguments) > 2:
        methods = [literal_path(arguments[0]) or arguments[0].removeprefix("http.Method")]
        arguments = arguments[1:]
    elif verb in ("Handle", "HandleFunc"):
        if len(arguments) > 2:  # gin: Handle("GET", "/x", h)
            methods, arguments = [literal_path(arguments[0]) or "ANY"], arguments[1:]
        else:
            after = _METHODS.match(page.text, call.end)
            more = page.call(after.end() - 1).arguments if after is not None else ()
            methods = [
                name for one in more for name in (strings_in(one) or [one.rpartition("Method")[2]])
            ] or ["ANY"]
    path = literal_path(arguments[0]) if arguments else None
    handler = _handler(arguments)
    client = _CLIENT.search(page.before(at, ".()")) is not None
    if path is not None and handler is not None and not (client and verb.lower() in _VERBS):
        method, space, rest = path.partition(" ")
        if space and method.isupper():
            methods, path = [method], rest
        if path.startswith("/") or path == "":
            for one in methods:
                page.route(one, join_paths(prefix, path), at, handler)
    elif client and (verb.lower() in _VERBS or verb == "PostForm") and arguments:
        page.request("POST" if verb == "PostForm" else verb, arguments[0], at)


def _handler(arguments: list[str]) -> str | None:
    """Return the name of what answers, "" for a function without one, None when nothing does."""
    if len(arguments) < 2:
        return None
    last = arguments[-1]
    if last.startswith("func"):
        return ""
    for _ in range(MAX_CONVERTED):
        name, opened, inner = last.partition("(")
        if not opened or len(name) > MAX_NAME_CHARS or not inner.endswith(")"):
            break
        if _CONVERTED.fullmatch(name) is None:
            break
        last = inner[:-1].rpartition(",")[2].strip()
    made = re.fullmatch(r"&?([\w.]+)(?:\(.*\)|\{.*\})", last, re.DOTALL)
    name = made[1] if made is not None else last
    return name if _NAME.fullmatch(name) is not None else None
