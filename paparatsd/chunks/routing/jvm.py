"""Java and Kotlin: Spring, JAX-RS, Micronaut, Ktor; RestTemplate, WebClient, OkHttp, Feign."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.chunks.arguments import strings_in
from paparatsd.chunks.routing.page import Prefixes
from paparatsd.chunks.routing.urls import join_paths, literal_path

if TYPE_CHECKING:
    from paparatsd.chunks.routing.page import Page

_ANNOTATION = re.compile(
    r"@(?:(?P<spring>Get|Post|Put|Patch|Delete|Request)Mapping\b"
    r"|(?P<jax>GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b"
    r"|(?P<micronaut>Get|Post|Put|Patch|Delete)(?:\(|\b(?!\w)))"
)
_CALL = re.compile(
    r"\.(?:(?P<rest>getForObject|getForEntity|postForObject|postForEntity|postForLocation|put|delete|"
    r"patchForObject|exchange)\s*(?:<[\w<>, ?]{1,80}>)?"
    r"|(?P<address>url|uri)"
    r"|perform\(\s*(?:\w+\.)?(?P<mock>get|post|put|patch|delete))\s*\("
)
_KTOR = re.compile(
    r"(?<![\w.@])(?:get|post|put|patch|delete|route)\s*\((?=\s*\"[^\"\n]*\"\s*\)\s*\{)"
)
_CLASS_PATH = re.compile(r"@(?:RequestMapping|Path|Controller)\b")
_VERB = re.compile(
    r"(?:RequestMethod|HttpMethod)\.(\w+)|\bmethod\s*=\s*\[?\s*(GET|POST|PUT|PATCH|DELETE)"
)
_CHAINED = re.compile(
    r"\.\s*(get|post|put|patch|delete|head)\s*\([^()]*(?:\([^()]*\))?[^()]*\)?\s*$"
    r"|\.method\(\s*(?:HttpMethod\.)?\"?(\w+)\"?[^()]*\)\s*$",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\s*\)?\s*\.(get|post|put|patch|delete|head|GET|POST|PUT|DELETE)\s*\(|"
                    r"\s*\)?\s*\.method\(\s*\"(\w+)\"")  # fmt: skip
_REST_VERBS = {"put": "PUT", "delete": "DELETE", "patchForObject": "PATCH", "exchange": ""}


def read(page: Page) -> None:
    """Find all in a file."""
    text = page.text
    for found in _ANNOTATION.finditer(text):
        at = found.start()
        if page.is_comment(at):
            continue
        if found["jax"]:
            _jax(page, found["jax"], at)
        else:
            verb = found["spring"] or found["micronaut"]
            _annotated(page, verb.replace("Request", "ANY"), at)
    for found in _CALL.finditer(text):
        if "/" not in text[found.end() : found.end() + 200] or page.is_comment(found.start()):
            continue
        if found["address"]:
            _addressed(page, found)
        else:
            _asked(page, found)
    nested = Prefixes()
    for found in _KTOR.finditer(text) if page.uses("routing", "route") else ():
        if not page.is_comment(found.start()):
            _ktor(page, found, nested)


def _paths(page: Page, text: str, end: int) -> tuple[list[str], str]:
    """Return the paths that an annotation names, and its arguments as written."""
    if text[end : end + 1] != "(":
        return [""], ""
    call = page.call(end, text)
    for argument in call.arguments:
        name, equals, value = argument.partition("=")
        if equals and name.strip() in ("value", "path", "uri"):
            return strings_in(value) or [""], text[end : call.end]
    first = call[0]
    plain = first.startswith(('"', "{", "["))
    return (strings_in(first) or [""]) if plain else [""], text[end : call.end]


def _annotated(page: Page, verb: str, at: int) -> None:
    """Read a mapping of a method; those of a class are the prefix of its methods."""
    scope = page.around(at)
    symbol = page.symbols[scope] if scope >= 0 else None
    if symbol is None or symbol.container:
        return
    prefix, feign = _class_prefix(page, scope)
    end = re.compile(r"@\w+").match(page.text, at)
    paths, given = _paths(page, page.text, end.end() if end is not None else at)
    verbs = [one[1] or one[2] for one in _VERB.finditer(given)] if verb == "ANY" else [verb]
    for path in paths:
        for one in verbs or ["ANY"]:
            joined = join_paths(prefix, path)
            if feign:
                page.request(one, f'"{joined}"', at)
            else:
                page.route(one, joined, at, scope=scope)


def _class_prefix(page: Page, scope: int) -> tuple[str, bool]:
    """Return the path of the class around a method, and whether it only describes a client."""
    for owner in page.enclosing(scope):
        head = page.head(owner)
        found = _CLASS_PATH.search(head)
        name = page.symbols[owner].name
        first = re.search(rf"\b(?:class|interface|object|record)\s+{re.escape(name)}\b", head)
        if first is not None:
            head = head[: first.start()]
        feign = "@FeignClient" in head or "@RegisterRestClient" in head or "@Client(" in head
        if found is not None and found.start() < len(head):
            return _paths(page, head, found.end())[0][0], feign
        if feign:
            return "", True
    return "", False


def _jax(page: Page, verb: str, at: int) -> None:
    scope = page.around(at)
    if scope < 0 or page.symbols[scope].container:
        return
    prefix, feign = _class_prefix(page, scope)
    head = page.head(scope)
    own = re.search(r"@Path\b", head)
    path = ""
    name = re.search(rf"\b{re.escape(page.symbols[scope].name)}\s*\(", head)
    if own is not None and (name is None or own.start() < name.start()):
        path = _paths(page, head, own.end())[0][0]
    if feign:
        page.request(verb, f'"{join_paths(prefix, path)}"', at)
    else:
        page.route(verb, join_paths(prefix, path), at, scope=scope)


def _asked(page: Page, found: re.Match[str]) -> None:
    """Read `restTemplate.getForObject(url, ...)` and Spring's `perform(get(url))`."""
    call = page.call(found.end() - 1)
    if found["mock"]:
        page.request(found["mock"], call[0], found.start())
        return
    verb = found["rest"]
    before = page.text[max(found.start() - 40, 0) : found.start()]
    if verb in _REST_VERBS and not re.search(r"(?i)rest\w*$", before.rstrip("()")):
        return
    if verb == "exchange":
        method = _VERB.search(call[1])
        page.request(method[1] if method is not None else "ANY", call[0], found.start())
    else:
        page.request(_REST_VERBS.get(verb) or verb.partition("For")[0], call[0], found.start())


def _addressed(page: Page, found: re.Match[str]) -> None:
    """Read `Request.Builder().url(u).post(b)`, `client.get().uri(u)`, `HttpRequest...uri(u)`."""
    call = page.call(found.end() - 1)
    if found["address"] == "url" and "Request" not in page.text:
        return
    before = _CHAINED.search(page.text[max(found.start() - 80, 0) : found.start()])
    after = _AFTER.match(page.text, call.end)
    method = next((one for hit in (before, after) if hit for one in hit.groups() if one), "GET")
    page.request(method, call[0], found.start())


def _ktor(page: Page, found: re.Match[str], nested: Prefixes) -> None:
    call = page.call(found.end() - 1)
    path = literal_path(call[0]) or ""
    at = found.start()
    if found[0].startswith("route"):
        body = page.text.find("{", call.end)
        nested.add(at, page.call(body).end, path)
    else:
        page.route(found[0].partition("(")[0].strip(), join_paths(nested.at(at), path), at)
