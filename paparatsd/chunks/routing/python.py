"""Python: Flask, FastAPI, Starlette, aiohttp, Django; requests, httpx, urllib, test clients."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.chunks.arguments import strings_in
from paparatsd.chunks.routing.page import MAX_NAME_CHARS, Prefixes
from paparatsd.chunks.routing.urls import join_paths, literal_path

if TYPE_CHECKING:
    from paparatsd.chunks.arguments import Call
    from paparatsd.chunks.routing.page import Page

_MEMBER = re.compile(
    r"\.(?P<verb>get|p(?:ost|ut|atch)|delete|head|options|r(?:oute|equest)|websocket|stream|"
    r"a(?:pi_route|dd_(?:api_route|route|url_rule|get|post|put|patch|delete|head)))\("
)
_ROUTED = re.compile(r"(?<![\w.])(?P<name>Route|WebSocketRoute|Mount)\(")
_PATTERN = re.compile(r"(?<![\w.])(?P<name>path|re_path|url)\(")
_OPENED = re.compile(r"(?<!\w)(?P<name>urlopen|Request)\(")
_MADE = re.compile(r"(?:Blueprint|APIRouter|Namespace)\s*\(")
_DECLARED = re.compile(r"[ \t]*(\w+)[^=]*")
_INCLUDED = re.compile(
    r"\.(?:include_router|register_blueprint)\s*\(\s*([\w.]++)[^()]*?prefix\s*=\s*[\"']([^\"']*)"
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
    prefixes = _prefixes(page)
    for found in _MEMBER.finditer(text):
        at, end = found.span()
        named = "/" in text[end : end + 200]
        if not named and "@" not in text[max(at - MAX_NAME_CHARS - 3, 0) : at]:
            continue
        receiver = page.before(at, ".()")
        begun = at - len(receiver)
        decorated = text[max(begun - 3, 0) : begun].rstrip().endswith("@")
        if not (receiver and (decorated or (named and _asked(found["verb"], receiver)))):
            continue
        if not page.is_comment(found.start()):
            call = page.call(found.end() - 1)
            tell = _decorated if decorated else _called
            tell(page, found, receiver, call, prefixes)
    mounts = Prefixes()
    for names, pattern in (
        (("Route", "WebSocketRoute", "Mount"), _ROUTED),
        (("urlopen",), _OPENED),
        (("path", "re_path", "url") if "urlpatterns" in text else (), _PATTERN),
    ):
        for found in pattern.finditer(text) if page.uses(*names) else ():
            if not page.is_comment(found.start()):
                call = page.call(found.end() - 1)
                _named(page, found["name"], call, found.start(), mounts)


def _asked(verb: str, receiver: str) -> bool:
    """Say whether a call can tell anything: one that adds a route, or one of a client."""
    return verb.startswith("add_") or _CLIENT.search(receiver) is not None


def _prefixes(page: Page) -> dict[str, str]:
    """Return the prefixes of the routers that a file makes or takes in, by their names."""
    found = {}
    if page.uses("Blueprint", "APIRouter", "Namespace"):
        for made in _MADE.finditer(page.text):
            name = _declared(page, made.start())
            if name:
                found[name] = _prefix(page.call(made.end() - 1))
    if page.uses("include_router", "register_blueprint"):
        for taken in _INCLUDED.finditer(page.text):
            found[taken[1]] = join_paths(taken[2], found.get(taken[1], ""))
    return found


def _declared(page: Page, at: int) -> str:
    """Return the name that is given to what is made at a place, "" when it has none."""
    dotted = page.before(at)
    head = page.text[max(at - len(dotted) - 2 * MAX_NAME_CHARS, 0) : at - len(dotted)].rstrip()
    if not head.endswith("=") or (dotted and not dotted.endswith(".")):
        return ""
    declared = _DECLARED.fullmatch(head[:-1].rpartition("\n")[2])
    return declared[1] if declared is not None else ""


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


def _decorated(
    page: Page, found: re.Match[str], receiver: str, call: Call, prefixes: dict[str, str]
) -> None:
    given = _keywords(call)
    path = _first_path(call, given)
    if path is None or (path and path[0] not in "/{<*"):
        return
    verb = found["verb"]
    default = "GET" if verb in ("route", "websocket") else verb
    path = join_paths(prefixes.get(receiver, ""), path)
    for method in _methods(given, default):
        page.route(method, path, found.start())


def _called(
    page: Page, found: re.Match[str], receiver: str, call: Call, prefixes: dict[str, str]
) -> None:
    verb = found["verb"]
    given = _keywords(call)
    if verb.startswith("add_"):
        path = _first_path(call, given)
        handler = _handler(given, call, 2 if verb == "add_url_rule" else 1)
        if path is not None and handler:
            default = verb.removeprefix("add_") if verb not in _ADDERS else "GET"
            path = join_paths(prefixes.get(receiver, ""), path)
            for method in _methods(given, default):
                page.route(method, path, found.start(), handler)
    elif verb in ("request", "stream"):
        method = literal_path(given.get("method") or call[0]) or ""
        page.request(method, given.get("url") or call[1], found.start())
    elif verb in _VERB_SET:
        page.request(verb, given.get("url") or call[0], found.start())


_ADDERS = frozenset({"add_api_route", "add_route", "add_url_rule"})
_VERB_SET = frozenset({"get", "post", "put", "patch", "delete", "head", "options"})


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


def _named(page: Page, name: str, call: Call, at: int, mounts: Prefixes) -> None:
    given = _keywords(call)
    if name in ("urlopen", "Request"):
        _opened(page, call, at)
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
    else:
        _pattern(page, path, given.get("view") or call[1], at, call.end, mounts)


def _opened(page: Page, call: Call, at: int) -> None:
    given = _keywords(call)
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
