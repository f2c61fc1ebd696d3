"""Python: Flask, FastAPI, Starlette, aiohttp, Django; requests, httpx, urllib, test clients."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.chunks.arguments import read_call, strings_in
from paparatsd.chunks.routing.page import Prefixes
from paparatsd.chunks.routing.urls import join_paths, literal_path

if TYPE_CHECKING:
    from paparatsd.chunks.arguments import Call
    from paparatsd.chunks.routing.page import Page

MARKS = (
    "@", "add_", "Route(", "path(", "url(", "requests", "httpx", "client", "session", "urlopen",
    "http", "api",
)  # fmt: skip
"""A text without any of these has neither routes nor requests."""

_VERBS = "get|post|put|patch|delete|head|options"
_CALL = re.compile(
    rf"(?P<decorated>@\s*)?(?P<receiver>[\w.]+(?:\(\))?)\.(?P<verb>{_VERBS}|route|api_route|websocket|"
    r"add_api_route|add_route|add_url_rule|add_(?:get|post|put|patch|delete|head)|request|stream)"
    r"\s*\("
    r"|(?<![\w.])(?P<name>Route|WebSocketRoute|Mount|path|re_path|url|urlopen|Request)\s*\("
)
_MADE = re.compile(r"^[ \t]*(\w+)[^=\n]*=\s*(?:\w+\.)*(?:Blueprint|APIRouter|Namespace)\s*\(", re.M)
_INCLUDED = re.compile(
    r"\.(?:include_router|register_blueprint)\s*\(\s*([\w.]+)[^()]*?prefix\s*=\s*[\"']([^\"']*)"
)
_KEYWORD = re.compile(r"(\w+)\s*=(?!=)\s*(.*)", re.DOTALL)
_CLIENT = re.compile(
    r"(?:^|[._])(?:requests|httpx|\w*client|\w*session|http|\w*_?api|web|s|c)(?:\(\))?$", re.I
)
_NAME = re.compile(r"[\w.]+")
_VIEW = re.compile(r"([\w.]+?)(?:\.as_view)?(?:\(|$)")


def read(page: Page) -> None:
    """Find all in a file."""
    text = page.text
    prefixes = {
        found[1]: _prefix(read_call(text, found.end() - 1)) for found in _MADE.finditer(text)
    }
    for found in _INCLUDED.finditer(text):
        name = found[1]
        prefixes[name] = join_paths(found[2], prefixes.get(name, ""))
    mounts = Prefixes()
    django = "urlpatterns" in text
    for found in _CALL.finditer(text):
        if page.is_comment(found.start()):
            continue
        call = read_call(text, found.end() - 1)
        if found["name"]:
            _named(page, found["name"], call, found.start(), mounts, django=django)
        elif found["decorated"]:
            _decorated(page, found, call, prefixes)
        else:
            _called(page, found, call, prefixes)


def _prefix(call: Call) -> str:
    given = _keywords(call)
    return literal_path(given.get("url_prefix") or given.get("prefix") or "") or ""


def _keywords(call: Call) -> dict[str, str]:
    found = (_KEYWORD.fullmatch(one) for one in call.arguments)
    return {one[1]: one[2] for one in found if one is not None}


def _methods(given: dict[str, str], default: str) -> list[str]:
    return strings_in(given.get("methods", "")) or [default]


def _first_path(call: Call, given: dict[str, str]) -> str | None:
    return literal_path(given.get("path") or given.get("rule") or call[0])


def _decorated(page: Page, found: re.Match[str], call: Call, prefixes: dict[str, str]) -> None:
    given = _keywords(call)
    path = _first_path(call, given)
    if path is None or (path and path[0] not in "/{<*"):
        return
    verb = found["verb"]
    default = "GET" if verb in ("route", "websocket") else verb
    path = join_paths(prefixes.get(found["receiver"], ""), path)
    for method in _methods(given, default):
        page.route(method, path, found.start())


def _called(page: Page, found: re.Match[str], call: Call, prefixes: dict[str, str]) -> None:
    verb, receiver = found["verb"], found["receiver"]
    given = _keywords(call)
    if verb.startswith("add_"):
        path = _first_path(call, given)
        handler = _handler(given, call, 2 if verb == "add_url_rule" else 1)
        if path is not None and handler:
            default = verb.removeprefix("add_") if verb not in _ADDERS else "GET"
            path = join_paths(prefixes.get(receiver, ""), path)
            for method in _methods(given, default):
                page.route(method, path, found.start(), handler)
    elif _CLIENT.search(receiver) is not None:
        if verb in ("request", "stream"):
            method = literal_path(given.get("method") or call[0]) or ""
            page.request(method, given.get("url") or call[1], found.start())
        elif verb in _VERB_SET:
            page.request(verb, given.get("url") or call[0], found.start())


_ADDERS = frozenset({"add_api_route", "add_route", "add_url_rule"})
_VERB_SET = frozenset(_VERBS.split("|"))


def _handler(given: dict[str, str], call: Call, place: int) -> str:
    """Return the name of what answers, "" when it has none."""
    for key in ("endpoint", "view_func", "handler", "view"):
        value = given.get(key, "")
        if value and value[0] not in "\"'":
            return _viewed(value)
    positional = [one for one in call.arguments if _KEYWORD.fullmatch(one) is None]
    return _viewed(positional[place]) if place < len(positional) else ""


def _viewed(text: str) -> str:
    """Return the name of a view, whatever wraps it: `cached(60)(views.Home.as_view())`."""
    found = _VIEW.match(text)
    if found is None:
        return ""
    if text.endswith(")") and not text.startswith(f"{found[1]}.as_view"):
        inner = re.search(r"\(([\w.]+)(?:\.as_view\([^()]*\))?\)$", text)
        return inner[1].removesuffix(".as_view") if inner is not None else ""
    return found[1].removesuffix(".as_view")


def _named(page: Page, name: str, call: Call, at: int, mounts: Prefixes, *, django: bool) -> None:
    given = _keywords(call)
    if name in ("urlopen", "Request"):
        _opened(page, name, call, at)
        return
    path = _first_path(call, given)
    if path is None:
        return
    if name == "Mount":
        mounts.add(at, call.end, path)
    elif name in ("Route", "WebSocketRoute"):
        handler = _handler(given, call, 1)
        if handler and path.startswith("/"):
            for method in _methods(given, "GET"):
                page.route(method, join_paths(mounts.at(at), path), at, handler)
    elif django:
        _pattern(page, path, given.get("view") or call[1], at, call.end, mounts)


def _opened(page: Page, name: str, call: Call, at: int) -> None:
    given = _keywords(call)
    if name == "urlopen" or "urllib" in page.text:
        method = literal_path(given.get("method", "")) or ("POST" if "data" in given else "GET")
        page.request(method, call[0], at)


def _pattern(page: Page, path: str, view: str, at: int, end: int, mounts: Prefixes) -> None:
    """Read an entry of Django's `urlpatterns`; patterns included in place have its prefix."""
    if "include" in view.partition("(")[0]:
        if "[" in view:
            mounts.add(at, end, path)
        return
    handler = _viewed(view)
    if handler:
        page.route("ANY", f"{mounts.at(at)}/{path.removeprefix('^')}", at, handler)
