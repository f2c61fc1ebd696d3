"""JavaScript and TypeScript: Express, Koa, Fastify, Hono, Nest; fetch, axios, got and the like."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from paparatsd.chunks.routing.urls import join_paths, literal_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paparatsd.chunks.arguments import Call
    from paparatsd.chunks.routing.page import Page

MAX_SERVERS = 100
"""Servers and routers that a file makes."""

_GENERIC = r"\s*(?:<[\w\s.,<>\[\]|{}:;]{1,120}>)?\("
_MEMBER = re.compile(
    r"\.(?P<verb>get|post|put|patch|delete|del|head|options|all|route|request|ajax)" + _GENERIC
)
_FETCHING = ("fetch", "axios", "got", "ky", "request", "ofetch", "$fetch")
_FETCH = re.compile(r"(?<![\w$.])(?:fetch|axios|got|ky|request|ofetch|\$fetch)" + _GENERIC)
_NEST = re.compile(r"@(?P<nest>Get|Post|Put|Patch|Delete|Head|Options|All)\(")
_MADE = re.compile(
    r"=\s*(?:await\s+)?(?:new\s+)?(?:[\w$]+\.)?"
    r"(?:express|Router|fastify|Fastify|Hono|Koa|OpenAPIHono|restify\.createServer|polka|Elysia)\s*"
    r"(?:<[^()\n]{0,120}>)?\("
)
_DECLARED = re.compile(r"([\w$]+)(?:\s*:[^=]*)?\s*$")
_MOUNTED = re.compile(
    r"\.(?:use|mount|route|register)\s*\(\s*[\"'`]([^\"'`]*)[\"'`]\s*,\s*([\w$]+)"
)
_BASE_PATH = re.compile(r"\.basePath\(\s*[\"'`]([^\"'`]*)")
_PREFIX = re.compile(r"\bprefix\s*:\s*[\"'`]([^\"'`]*)")
_METHOD = re.compile(r"\b(?:method|type)\s*:\s*[\"'`](\w+)[\"'`]")
_URL = re.compile(r"\b(?:url|uri|path)\s*:\s*((?:[^,{}]|\$\{[^{}]*\})+)")
_HANDLER = re.compile(r"\bhandler\s*:\s*([\w$.]+)")
_FUNCTION = re.compile(r"=>|\bfunction\b|^\s*(?:async\s*)?(?:\w+\s*)?\([^()]*\)\s*\{")
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\.[\w$]+)*")
_CLIENT = re.compile(
    r"(?:axios|got|ky|superagent|client|http|\$http|api|request|agent|needle|\$|jQuery|instance|"
    r"fetcher|service|\w*(?:Client|Http|Api|Axios|Agent))$"
)
_SERVER = re.compile(r"(?:\w*[aA]pp|\w*[rR]outer|\w*[sS]erver|fastify|routes?|\w*Routes?)$")
_ROUTED = re.compile(r"\s*[A-Za-z@$]{0,3}(?:\"\"\"|[\"'`])[/*:]")
_OBJECT = re.compile(r"^\s*\{")
_MORE = re.compile(r"\s*\.(get|post|put|patch|delete|head|options|all)\s*\(")


def read(page: Page) -> None:
    """Find all in a file."""
    text = page.text
    servers: dict[str, str] | None = None
    for found in _MEMBER.finditer(text):
        if "/" not in text[found.end() : found.end() + 200]:
            continue
        receiver = _receiver(page, found.start())
        if not _may_tell(text, found, receiver) or page.is_comment(found.start()):
            continue
        servers = _servers(page) if servers is None else servers
        if found["verb"] == "route":
            _route(page, receiver, page.call(found.end() - 1), found.start(), servers)
        else:
            _called(page, found, receiver, servers)
    for found in _fetches(text) if page.uses(*_FETCHING) else ():
        if not page.is_comment(found.start()):
            _fetch(page, page.call(found.end() - 1), found.start())
    for found in _NEST.finditer(text) if "@Controller" in text else ():
        if not page.is_comment(found.start()):
            _nest(page, found["nest"], page.call(found.end() - 1), found.start())


def _may_tell(text: str, found: re.Match[str], receiver: str) -> bool:
    """Say whether a call is a client's or is given the path of a route."""
    if found["verb"] == "route" or receiver == ")" or _CLIENT.search(receiver) is not None:
        return True
    return receiver != "" and _ROUTED.match(text, found.end()) is not None


def _fetches(text: str) -> Iterator[re.Match[str]]:
    """Yield the calls of what fetches; looking for each name is quicker than one pattern."""
    places = []
    for name in _FETCHING:
        at = text.find(name)
        while at >= 0:
            places.append(at)
            at = text.find(name, at + 1)
    end = 0
    for at in sorted(places):
        found = _FETCH.match(text, at) if at >= end else None
        if found is not None:
            end = found.end()
            yield found


def _receiver(page: Page, at: int) -> str:
    """Return the last name before a dot, or the bracket that ends the call or index before it."""
    while at > 0 and page.text[at - 1] in " \t\r\n?!":
        at -= 1
    last = page.text[at - 1 : at]
    return page.before(at, "$") or (last if last in (")", "]") else "")


def _servers(page: Page) -> dict[str, str]:
    """Return the variables that are servers or routers, with the prefix of their paths."""
    text, found = page.text, {}
    for made in islice(_MADE.finditer(text), MAX_SERVERS):
        call = page.call(made.end() - 1)
        prefix = _PREFIX.search(call[0])
        base = _BASE_PATH.match(text, call.end)
        declared = text[max(made.start() - 120, 0) : made.start()].rpartition("\n")[2]
        name = _DECLARED.search(declared)
        if name is not None:
            found[name[1]] = (prefix[1] if prefix else "") or (base[1] if base else "")
    for mounted in _MOUNTED.finditer(text) if found else ():
        if mounted[2] in found:
            found[mounted[2]] = join_paths(mounted[1], found[mounted[2]])
    return found


def _nest(page: Page, name: str, call: Call, at: int) -> None:
    """Read a decorator; the path of a controller is that of all its methods."""
    scope = page.around(at)
    prefix = ""
    for owner in page.enclosing(scope):
        found = re.search(
            r"@Controller\(\s*(?:\{[^{}]*?path\s*:\s*)?[\"'`]([^\"'`]*)", page.head(owner)
        )
        prefix = found[1] if found is not None else prefix
    path = literal_path(call[0]) or ""
    page.route(name, join_paths(prefix, path), at, scope=scope)


def _fetch(page: Page, call: Call, at: int) -> None:
    options = call[1] if not _OBJECT.match(call[0]) else call[0]
    method = _METHOD.search(options)
    url = _URL.search(call[0]) if _OBJECT.match(call[0]) else None
    page.request(method[1] if method else "GET", url[1] if url else call[0], at)


def _route(page: Page, receiver: str, call: Call, at: int, servers: dict[str, str]) -> None:
    """Read `router.route("/x").get(a).post(b)` and `fastify.route({...})`."""
    if _OBJECT.match(call[0]):
        method, url, handler = (one.search(call[0]) for one in (_METHOD, _URL, _HANDLER))
        path = literal_path(url[1]) if url is not None else None
        if path is not None and "handler" in call[0]:
            name = handler[1] if handler is not None and handler[1] not in _WORDS else ""
            prefixed = join_paths(servers.get(receiver, ""), path)
            page.route(method[1] if method else "ANY", prefixed, at, name)
        return
    path = literal_path(call[0])
    end = call.end
    while path is not None and (more := _MORE.match(page.text, end)) is not None:
        inner = page.call(more.end() - 1)
        handler_name = _handler(inner.arguments)
        if handler_name is not None:
            prefixed = join_paths(servers.get(receiver, ""), path)
            page.route(_verb(more[1]), prefixed, more.start(1), handler_name)
        end = inner.end


_WORDS = frozenset({"async", "function"})


def _called(page: Page, found: re.Match[str], receiver: str, servers: dict[str, str]) -> None:
    verb, at, begun = found["verb"], found.start(), found.end() - 1
    if verb in ("request", "ajax"):
        if _CLIENT.search(receiver):
            _fetch(page, page.call(begun), at)
        return
    is_server = receiver in servers or _SERVER.fullmatch(receiver) is not None
    is_client = receiver == ")" or (_CLIENT.fullmatch(receiver) is not None and not is_server)
    call = page.call(begun)
    path = literal_path(call[0])
    handler = _handler(call.arguments[1:])
    if path is not None and handler is not None and path[:1] in ("/", "*", ":"):
        if is_server or (not is_client and handler == ""):
            page.route(_verb(verb), join_paths(servers.get(receiver, ""), path), at, handler)
            return
        if is_client and handler == "" and receiver == "api":
            page.route(_verb(verb), path, at, handler)
            return
    if is_client and verb != "all":
        page.request(_verb(verb), call[0], at)


def _verb(verb: str) -> str:
    return {"del": "DELETE", "all": "ANY"}.get(verb, verb)


def _handler(arguments: tuple[str, ...]) -> str | None:
    """Return the name of what answers, "" for a function that has none, None when nothing does."""
    if not arguments:
        return None
    last = arguments[-1].strip()
    last = last.strip("[]").rpartition(",")[2].strip() if last.startswith("[") else last
    if _FUNCTION.search(last) is not None:
        return ""
    wrapped = re.fullmatch(r"[\w$.]+\(\s*([\w$.]+)\s*\)", last)
    if wrapped is not None:
        last = wrapped[1]
    bound = re.fullmatch(r"([\w$.]+)\.bind\(.*\)", last)
    name = bound[1] if bound is not None else last
    return name if _NAME.fullmatch(name) is not None else None
