"""Short and long forms of the same word, as programmers write both."""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from paparatsd.chunks.terms import stem

if TYPE_CHECKING:
    from collections.abc import Mapping

_GROUPS = (
    "auth authn authentication authenticate", "authz authorization authorize", "acl permission",
    "config configuration cfg conf configure settings", "env environment", "ctx context",
    "err error errors", "exc exception", "fn func function", "impl implementation implement",
    "init initialize initialization", "msg message", "param params parameter", "arg args argument",
    "opt opts option options", "req request", "res resp response", "repo repository",
    "db database", "conn connection connect", "str string", "num number", "int integer",
    "bool boolean", "char character", "util utils utility utilities helper", "srv server",
    "svc service", "cli command", "dir directory folder", "doc docs documentation",
    "dep deps dependency dependencies", "spec specification", "temp tmp temporary",
    "prev previous", "cur curr current", "idx index", "len length size", "max maximum",
    "min minimum", "avg average mean", "cnt count counter", "buf buffer", "ptr pointer",
    "ref reference", "attr attribute", "prop props property properties", "elem element",
    "obj object", "val value", "var variable", "const constant", "del delete remove",
    "cmd command", "exec execute execution", "proc process", "pkg package", "lib library",
    "mod module", "src source", "dst dest destination target", "img image", "btn button",
    "addr address", "alloc allocate allocator", "async asynchronous", "sync synchronize",
    "cb callback", "evt event", "desc description", "fmt format formatter",
    "gen generate generator",
    "hdr header", "info information", "iter iterator iterate", "mgr manager", "mw middleware",
    "perm perms permission", "pos position", "pwd password passwd", "rand random",
    "regex regexp regular", "sec secs second", "ms millisecond", "seq sequence", "sess session",
    "sig signature signal", "stmt statement", "expr expression", "sub subscription subscribe",
    "sys system", "tbl table", "txn tx transaction", "txt text", "usr user", "ver version",
    "win window", "ws websocket", "i18n internationalization locale", "l10n localization locale",
    "k8s kubernetes", "concat concatenate concatenation", "deser deserialize deserialization",
    "ser serialize serialization", "decl declaration declare", "def definition define",
    "diff difference", "dup duplicate", "eq equal equals", "ext extension", "ttl expiration expiry",
    "id identifier", "nav navigation", "oauth authorization", "pagination paging paginate",
    "calc calculate calculation", "eval evaluate evaluation", "inst instance", "lang language",
    "loc location", "mem memory", "net network", "op operation operator", "org organization",
    "qty quantity", "stat stats statistics", "sz size", "tok token", "xform transform",
)  # fmt: skip


@lru_cache(maxsize=1)
def _groups() -> Mapping[str, tuple[str, ...]]:
    table: dict[str, dict[str, None]] = {}
    for group in _GROUPS:
        words = group.split()
        for word in words:
            table.setdefault(stem(word), {}).update(dict.fromkeys(words))
    return MappingProxyType({
        root: tuple(word for word in words if stem(word) != root) for root, words in table.items()
    })  # fmt: skip


def other_forms(root: str) -> tuple[str, ...]:
    """Return the other short and long forms of a word that is given by its stem."""
    return _groups().get(root, ())
