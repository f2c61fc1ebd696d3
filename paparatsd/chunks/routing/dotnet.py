"""C#: attributes of controllers, minimal APIs; HttpClient."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.chunks.arguments import strings_in
from paparatsd.chunks.routing.page import MAX_NAME_CHARS
from paparatsd.chunks.routing.urls import join_paths, literal_path

if TYPE_CHECKING:
    from paparatsd.chunks.arguments import Call
    from paparatsd.chunks.routing.page import Page

_ATTRIBUTE = re.compile(
    r"\[\s*(?:\w+\s*,\s*)?Http(?P<verb>Get|Post|Put|Patch|Delete|Head)\b\s*(?P<given>\()?"
)
_CALL = re.compile(
    r"\.(?:Map(?P<mapped>Get|Post|Put|Patch|Delete|Group|Methods)"
    r"|(?P<verb>Get|Post|Put|Patch|Delete)(?:FromJson|AsJson|String|Stream|ByteArray)?Async"
    r"\s*(?:<[\w<>\[\], ?.]{1,80}>)?)\s*\("
)
_MESSAGE = re.compile(r"HttpRequestMessage\s*\(")
_ROUTE = re.compile(r"\bRoute\s*\(\s*@?\"([^\"]*)\"")
_CLIENT = re.compile(r"(?i)(?:client|http|api|httpclient)\w*$")
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
_ASSIGNED = re.compile(r"(\w+)\s*=\s*$")


def read(page: Page) -> None:
    """Find all in a file."""
    text = page.text
    groups: dict[str, str] = {}
    for found in _ATTRIBUTE.finditer(text) if "Http" in text else ():
        if not page.is_comment(found.start()):
            given = page.call(found.end() - 1) if found["given"] else None
            _attribute(page, found["verb"], given, found.start())
    for found in _CALL.finditer(text):
        receiver = page.before(found.start(), "")
        asked = found["verb"] is not None and _CLIENT.search(receiver) is None
        if asked or page.is_comment(found.start()):
            continue
        if found["mapped"]:
            _mapped(page, found, receiver, page.call(found.end() - 1), groups)
        else:
            call = page.call(found.end() - 1)
            page.request(found["verb"], call[0].lstrip("$@"), found.start())
    for found in _MESSAGE.finditer(text) if page.uses("HttpRequestMessage") else ():
        call = page.call(found.end() - 1)
        page.request(call[0].rpartition(".")[2], call[1], found.start())


def _attribute(page: Page, verb: str, call: Call | None, at: int) -> None:
    """Read an attribute of a method; the route of its class is the prefix."""
    scope = page.around(at)
    if scope < 0 or page.symbols[scope].container:
        return
    symbol = page.symbols[scope]
    path = (literal_path(call[0].lstrip("@")) if call is not None else None) or ""
    own = _ROUTE.search(page.head(scope).partition(f"{symbol.name}(")[0])
    path = path or (own[1] if own is not None else "")
    prefix, controller = "", ""
    for owner in page.enclosing(scope):
        name = page.symbols[owner].name
        found = _ROUTE.search(page.head(owner).partition(f"class {name}")[0])
        if found is not None and not prefix:
            prefix, controller = found[1], name.removesuffix("Controller")
    if path.startswith(("/", "~/")):
        prefix, path = "", path.lstrip("~")
    joined = join_paths(prefix, path)
    joined = joined.replace("[controller]", controller).replace("[action]", symbol.name)
    page.route(verb, joined, at, scope=scope)


def _mapped(
    page: Page, found: re.Match[str], receiver: str, call: Call, groups: dict[str, str]
) -> None:
    """Read `app.MapGet("/x", handler)`, and `var g = app.MapGroup("/x")`."""
    path = literal_path(call[0])
    if path is None:
        return
    prefixed = join_paths(groups.get(receiver, ""), path)
    at = found.start()
    if found["mapped"] == "Group":
        line = max(page.text.rfind("\n", 0, at) + 1, at - len(receiver) - MAX_NAME_CHARS)
        assigned = _ASSIGNED.search(page.text[line : at - len(receiver)])
        if assigned is not None:
            groups[assigned[1]] = prefixed
        return
    methods, handler = [found["mapped"]], call[1]
    if found["mapped"] == "Methods":
        methods, handler = strings_in(call[1]) or ["ANY"], call[2]
    for method in methods:
        page.route(method, prefixed, at, handler if _NAME.fullmatch(handler) else "")
