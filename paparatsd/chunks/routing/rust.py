"""Rust: axum, actix, Rocket; reqwest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.chunks.routing.page import Prefixes
from paparatsd.chunks.routing.urls import join_paths, literal_path

if TYPE_CHECKING:
    from paparatsd.chunks.arguments import Call
    from paparatsd.chunks.routing.page import Page

_ATTRIBUTE = re.compile(r"#\[\s*(?:\w+::)?(?P<verb>get|post|put|patch|delete|head|options)\s*\(")
_CALL = re.compile(
    r"\.(?P<name>route|nest|get|post|put|patch|delete|head|request)\s*\("
    r"|::(?P<inner>scope|resource|get|post)\s*\("
)
_CLIENT = re.compile(r"(?:reqwest(?:::\w+)*|client(?:\(\))?)$", re.IGNORECASE)
_METHOD = re.compile(r"\b(get|post|put|patch|delete|head|options|any)(?:_service)?\s*\(")
_TO = re.compile(r"\b(get|post|put|patch|delete|head)\s*\(\s*\)\s*\.to(?:_async)?\s*\(")
_MORE = re.compile(r"\s*\.\s*\w+\s*\(")
_PATH = re.compile(r"[A-Za-z_]\w*(?:::\w+)*")


def read(page: Page) -> None:
    """Find all in a file."""
    text = page.text
    for found in _ATTRIBUTE.finditer(text):
        path = literal_path(page.call(found.end() - 1)[0])
        if path is not None and path.startswith("/") and not page.is_comment(found.start()):
            scope = _below(page, found.start())
            page.route(found["verb"], path.partition("?")[0], found.start(), scope=scope)
    nested = Prefixes()
    for found in _CALL.finditer(text):
        if "/" in text[found.end() : found.end() + 200] and not page.is_comment(found.start()):
            _called(page, found, nested)


def _called(page: Page, found: re.Match[str], nested: Prefixes) -> None:
    name, at = found["name"] or found["inner"], found.start()
    if name in ("route", "nest", "scope", "resource"):
        call = page.call(found.end() - 1)
        path = literal_path(call[0])
        if path is None:
            return
        if found["inner"]:
            _actix(page, found, call, path, nested)
        elif name == "nest":
            nested.add(at, call.end, path)
        else:
            _axum(page, call, join_paths(nested.at(at), path), at)
    elif _CLIENT.search(page.before(at, ":()")) is not None:
        call = page.call(found.end() - 1)
        place = 1 if name == "request" else 0
        page.request(call[0].rpartition("::")[2] if place else name, call[place], at)


def _below(page: Page, at: int) -> int:
    """Return the function that an attribute stands above."""
    line = page.line(at)
    for index, symbol in enumerate(page.symbols):
        if line <= symbol.start_line <= line + 8 and symbol.kind in ("function", "method", "test"):
            return index
    return page.around(at)


def _axum(page: Page, call: Call, path: str, at: int) -> None:
    """Read `.route("/x", get(list).post(make))`, and actix' `.route("/x", web::get().to(list))`."""
    routed = call[1]
    actix = _TO.search(routed)
    if actix is not None:
        _note(page, actix[1], path, page.call(actix.end() - 1, routed)[0], at)
        return
    end = 0
    while (found := _METHOD.search(routed, end)) is not None:
        inner = page.call(found.end() - 1, routed)
        _note(page, found[1], path, inner[0], at)
        end = inner.end


def _actix(page: Page, found: re.Match[str], call: Call, path: str, nested: Prefixes) -> None:
    """Read `web::scope("/x")` and `web::resource("/x").route(web::get().to(list))`."""
    end = _chain_end(page, call.end)
    if found["inner"] == "scope":
        nested.add(found.start(), end, path)
        return
    routed = page.text[call.end : end]
    for one in _TO.finditer(routed):
        handler = page.call(one.end() - 1, routed)[0]
        at = call.end + one.start()
        _note(page, one[1], join_paths(nested.at(found.start()), path), handler, at)


def _chain_end(page: Page, at: int) -> int:
    """Return where the calls end that are made one on the other."""
    while (found := _MORE.match(page.text, at)) is not None:
        at = page.call(found.end() - 1).end
    return at


def _note(page: Page, method: str, path: str, handler: str, at: int) -> None:
    name = handler.replace("::", ".") if _PATH.fullmatch(handler) is not None else ""
    if name or handler.startswith(("|", "move", "async")):
        page.route(method, path, at, name)
