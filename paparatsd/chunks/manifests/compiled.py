"""go.mod, Cargo.toml, Package.swift."""

from __future__ import annotations

import re
import tomllib
from posixpath import normpath
from typing import TYPE_CHECKING, Any

from paparatsd.chunks.arguments import read_call, string_value
from paparatsd.chunks.manifests.notes import table, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paparatsd.chunks.manifests.notes import Notes

_GO_COMMENT = re.compile(r"//[^\n]*")
_GO_MODULE = re.compile(r"^module\s+\"?([^\s\"()]+)\"?", re.MULTILINE)
_GO_REQUIRED = re.compile(r"^(?:require\s+|[ \t]+)([\w.~-]+\.[\w.~-]+/?\S*)\s+v\d", re.MULTILINE)
_DEPENDENCIES = ("dependencies", "dev-dependencies", "build-dependencies")
_SWIFT_TARGET = re.compile(r"\.(?:target|executableTarget|systemLibrary|macro)\s*\(")
_SWIFT_PACKAGE = re.compile(r"\.package\s*\(")
_LABELLED = re.compile(r"\s*(\w+)\s*:\s*(.*)", re.DOTALL)


def read_go_mod(text: str, path: str, notes: Notes) -> None:
    """Read the module's path and those of the modules that it requires."""
    del path
    text = _GO_COMMENT.sub("", text)
    module = _GO_MODULE.search(text)
    notes.provides(module[1] if module is not None else None, "go")
    notes.depends((one[1] for one in _GO_REQUIRED.finditer(text)), "go")


def read_cargo(text: str, path: str, notes: Notes) -> None:
    """Read the crate as code calls it, its library's file, and the crates that it needs."""
    manifest = tomllib.loads(text)
    del path
    library = table(manifest, "lib")
    names = [table(manifest, "package").get("name"), library.get("name")]
    for name in texts(names):
        notes.provides(name.replace("-", "_"), "cargo")
    for root in texts([library.get("path")]):
        notes.maps("lib", normpath(root))
    for needed in _needed(manifest):
        for name, wanted in needed.items():
            real = wanted.get("package", name) if isinstance(wanted, dict) else name
            if isinstance(real, str):
                notes.depends([real.replace("-", "_")], "cargo")


def _needed(manifest: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield table(manifest, "workspace", "dependencies")
    for owner in (manifest, *table(manifest, "target").values()):
        for kind in _DEPENDENCIES:
            yield table(owner, kind)


def read_swift(text: str, path: str, notes: Notes) -> None:
    """Read the targets, which are the modules that others import, and the packages needed."""
    del path
    for found in _SWIFT_TARGET.finditer(text):
        notes.provides(_labelled(text, found.end() - 1).get("name"), "swift")
    for found in _SWIFT_PACKAGE.finditer(text):
        given = _labelled(text, found.end() - 1)
        where = given.get("url") or given.get("path") or given.get("name") or ""
        notes.depends([where.rstrip("/").rpartition("/")[2].removesuffix(".git")], "swift")


def _labelled(text: str, at: int) -> dict[str, str]:
    """Return the arguments of a call that are strings, by their labels."""
    found = (_LABELLED.fullmatch(one) for one in read_call(text, at).arguments)
    given = {one[1]: string_value(one[2]) for one in found if one is not None}
    return {name: value for name, value in given.items() if value is not None}
