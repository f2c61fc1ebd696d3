"""PHP: Laravel, Symfony's attributes, Slim; Http, Guzzle, test clients."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.chunks.arguments import strings_in
from paparatsd.chunks.routing.page import Prefixes
from paparatsd.chunks.routing.urls import join_paths, literal_path

if TYPE_CHECKING:
    from paparatsd.chunks.arguments import Call
    from paparatsd.chunks.routing.page import Page

_VERBS = "get|post|put|patch|delete|head|options|any|match"
_CALL = re.compile(
    rf"(?P<arrow>->|::)(?P<verb>{_VERBS}|resource|apiResource|group|request|"
    r"(?:get|post|put|patch|delete)Json)\s*\("
)
_ATTRIBUTE = re.compile(r"#\[\s*(?:\w+\\)*Route\s*\(")
_PREFIXED = re.compile(r"(?:::|->)prefix\(\s*[\"']([^\"']*)[\"']\s*\)")
_CLASS = re.compile(r"(\\?[\w\\]+)::class\s*(?:,\s*[\"'](\w+)[\"'])?")
_AT = re.compile(r"[\"']\\?([\w\\]+)[@:]{1,2}(\w+)[\"']")
_METHODS = re.compile(r"methods\s*[:=]\s*(\[[^\]]*\]|[\"']\w+[\"'])")
_PATH = re.compile(r"^(?:path\s*[:=]\s*)?([\"'].*)$", re.DOTALL)
_ACTIONS = {
    "index": ("GET", ""), "create": ("GET", "/create"), "store": ("POST", ""),
    "show": ("GET", "/{}"), "edit": ("GET", "/{}/edit"), "update": ("PUT", "/{}"),
    "destroy": ("DELETE", "/{}"),
}  # fmt: skip
_SERVER = re.compile(
    r"(?:Route::|\)->|\$(?:app|router|group|r|routes?|collector)->|->(?:app|router)->)$"
)
_CLIENT = re.compile(r"(?i)(?:Http::|\$this->|(?:\$|->)\w*(?:client|http|guzzle|api)->|\)\s*->)$")


def read(page: Page) -> None:
    """Find all in a file."""
    text = page.text
    groups = Prefixes()
    for found in _ATTRIBUTE.finditer(text):
        if not page.is_comment(found.start()):
            _attribute(page, page.call(found.end() - 1), found.start())
    for found in _CALL.finditer(text):
        verb, at = found["verb"], found.start()
        receiver = page.before(at, "$->:)(") + found["arrow"]
        if not (_SERVER.search(receiver) or _CLIENT.search(receiver)) or page.is_comment(at):
            continue
        call = page.call(found.end() - 1)
        if verb == "group":
            _group(page, found, call, groups)
        elif verb in ("resource", "apiResource"):
            _resource(page, verb, call, at, groups.at(at))
        else:
            _called(page, found, receiver, call, groups.at(at))


def _group(page: Page, found: re.Match[str], call: Call, groups: Prefixes) -> None:
    """Note the prefix of a group, given before it or as its first argument."""
    statement = page.text[max(found.start() - 400, 0) : found.end()].rpartition(";")[2]
    prefixes = _PREFIXED.findall(statement.rpartition("{")[2])
    given = re.search(r"[\"']prefix[\"']\s*=>\s*[\"']([^\"']*)", call[0])
    prefix = given[1] if given is not None else literal_path(call[0]) or ""
    groups.add(found.start(), call.end, join_paths(*prefixes, prefix))


def _resource(page: Page, verb: str, call: Call, at: int, prefix: str) -> None:
    path, controller = literal_path(call[0]), _CLASS.search(call[1])
    name = controller[1] if controller is not None else literal_path(call[1])
    for action, (method, more) in _ACTIONS.items() if path and name else ():
        if verb == "resource" or action not in ("create", "edit"):
            page.route(method, join_paths(prefix, path or "", more), at, f"{name}.{action}")


def _called(page: Page, found: re.Match[str], receiver: str, call: Call, prefix: str) -> None:
    verb, at = found["verb"], found.start()
    if _SERVER.search(receiver) is not None:
        methods = [verb]
        arguments = list(call.arguments)
        if verb == "match" and arguments:
            methods, arguments = strings_in(arguments[0]), arguments[1:]
        path = literal_path(arguments[0]) if arguments else None
        handler = _handler(arguments[1:])
        for method in methods if path is not None and handler is not None else ():
            page.route(method, join_paths(prefix, path or ""), at, handler or "")
    elif _CLIENT.search(receiver) is not None and call[0]:
        if verb == "request":
            page.request(literal_path(call[0]) or "ANY", call[1], at, joined=".")
        elif "/" in call[0]:
            page.request(verb.removesuffix("Json"), call[0], at, joined=".")


def _handler(arguments: list[str]) -> str | None:
    """Return the name of what answers, "" for a function without one, None when nothing does."""
    text = arguments[0] if arguments else ""
    named = _CLASS.search(text)
    if named is not None and text.startswith(("[", named[1])):
        return f"{named[1]}.{named[2] or '__invoke'}"
    at = _AT.fullmatch(text)
    if at is not None:
        return f"{at[1]}.{at[2]}"
    return "" if re.match(r"(?:static\s+)?(?:function|fn)\b", text) is not None else None


def _attribute(page: Page, call: Call, at: int) -> None:
    """Read Symfony's attribute of a method; that of a class is the prefix of its methods."""
    scope = page.around(at)
    if scope < 0 or page.symbols[scope].container:
        return
    prefix = ""
    for owner in page.enclosing(scope):
        head = page.head(owner).partition(f"class {page.symbols[owner].name}")[0]
        found = re.search(r"#\[\s*(?:\w+\\)*Route\s*\(", head)
        prefix = _path(page.call(found.end() - 1, head)) if found is not None else prefix
    methods = _METHODS.search(", ".join(call.arguments))
    for method in (strings_in(methods[1]) if methods is not None else []) or ["ANY"]:
        page.route(method, join_paths(prefix, _path(call)), at, scope=scope)


def _path(call: Call) -> str:
    found = (_PATH.match(one) for one in call.arguments)
    return next((literal_path(one[1]) or "" for one in found if one is not None), "")
