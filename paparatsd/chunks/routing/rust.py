"""Rust: axum, actix, Rocket; reqwest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.chunks.arguments import read_call
from paparatsd.chunks.routing.page import Prefixes
from paparatsd.chunks.routing.urls import join_paths, literal_path

if TYPE_CHECKING:
    from paparatsd.chunks.arguments import Call
    from paparatsd.chunks.routing.page import Page

MARKS = (".route(", "#[get", "#[post", "#[put", "#[delete", "#[patch", "reqwest", "resource(",
         "client.", "#[head")  # fmt: skip
"""A text without any of these has neither routes nor requests."""

_CALL = re.compile(
    r"#\[\s*(?:\w+::)?(?P<attribute>get|post|put|patch|delete|head|options)\s*\("
    r"|\.(?P<route>route|nest|service)\s*\(|(?P<scope>\bscope|\bresource)\s*\("
    r"|(?P<client>reqwest(?:::\w+)*|\w*client\w*(?:\(\))?)\s*(?:\.|::)(?P<verb>get|post|put|patch|"
    r"delete|head|request)\s*\("
)
_METHOD = re.compile(r"\b(get|post|put|patch|delete|head|options|any)(?:_service)?\s*\(")
_TO = re.compile(r"\b(get|post|put|patch|delete|head)\s*\(\s*\)\s*\.to(?:_async)?\s*\(")
_PATH = re.compile(r"[A-Za-z_]\w*(?:::\w+)*")


def read(page: Page) -> None:
    """Find all in a file."""
    text = page.text
    nested = Prefixes()
    for found in _CALL.finditer(text):
        at = found.start()
        if page.is_comment(at):
            continue
        call = read_call(text, found.end() - 1)
        path = literal_path(call[0])
        if found["attribute"]:
            if path is not None and path.startswith("/"):
                page.route(found["attribute"], path.partition("?")[0], at, scope=_below(page, at))
        elif found["client"]:
            place = 1 if found["verb"] == "request" else 0
            method = call[0].rpartition("::")[2] if place else found["verb"]
            page.request(method, call[place], at)
        elif path is not None and found["scope"]:
            _actix(page, found, call, path, nested)
        elif path is not None and found["route"] == "nest":
            nested.add(at, call.end, path)
        elif path is not None and found["route"] == "route":
            _axum(page, call, join_paths(nested.at(at), path), at)


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
        _note(page, actix[1], path, read_call(routed, actix.end() - 1)[0], at)
        return
    end = 0
    while (found := _METHOD.search(routed, end)) is not None:
        inner = read_call(routed, found.end() - 1)
        _note(page, found[1], path, inner[0], at)
        end = inner.end


def _actix(page: Page, found: re.Match[str], call: Call, path: str, nested: Prefixes) -> None:
    """Read `web::scope("/x")` and `web::resource("/x").route(web::get().to(list))`."""
    end = _chain_end(page.text, call.end)
    if found["scope"] == "scope":
        nested.add(found.start(), end, path)
        return
    routed = page.text[call.end : end]
    for one in _TO.finditer(routed):
        handler = read_call(routed, one.end() - 1)[0]
        at = call.end + one.start()
        _note(page, one[1], join_paths(nested.at(found.start()), path), handler, at)


def _chain_end(text: str, at: int) -> int:
    """Return where the calls end that are made one on the other."""
    more = re.compile(r"\s*\.\s*\w+\s*\(")
    while (found := more.match(text, at)) is not None:
        at = read_call(text, found.end() - 1).end
    return at


def _note(page: Page, method: str, path: str, handler: str, at: int) -> None:
    name = handler.replace("::", ".") if _PATH.fullmatch(handler) is not None else ""
    if name or handler.startswith(("|", "move", "async")):
        page.route(method, path, at, name)
