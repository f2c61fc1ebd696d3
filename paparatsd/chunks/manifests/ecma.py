"""package.json, tsconfig.json and jsconfig.json."""

from __future__ import annotations

from posixpath import normpath
from typing import TYPE_CHECKING

from paparatsd.chunks.manifests.notes import read_json, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paparatsd.chunks.manifests.notes import Notes

MAX_DEPTH = 6
"""Conditions inside conditions of an export."""

_CONDITIONS = (
    "source", "development", "import", "module", "default", "node", "require", "browser", "types",
)  # fmt: skip
"""The conditions of an export, those first that lead nearest to source."""
_DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_MAIN = ("source", "module", "main", "types", "typings")


def read_package(text: str, path: str, notes: Notes) -> None:
    """Read the name, what is needed, what is exported, and the package's own aliases (`#x`)."""
    del path
    manifest = table(read_json(text))
    notes.provides(manifest.get("name"), "npm")
    for name in _DEPENDENCIES:
        notes.depends(table(manifest, name), "npm")
    for name, value in table(manifest, "imports").items():
        _map_conditions(name, value, notes)
    for name, value in _exports(manifest.get("exports")):
        _map_conditions(name, value, notes)
    for key in _MAIN:
        value = manifest.get(key)
        if isinstance(value, str) and value:
            notes.maps(".", _path(value))


def _exports(exports: object) -> Iterator[tuple[str, object]]:
    """Yield each export with its conditions; one without a name is the package itself."""
    if isinstance(exports, dict) and any(name.startswith(".") for name in exports):
        yield from exports.items()
    elif exports is not None:
        yield ".", exports


def _map_conditions(name: str, value: object, notes: Notes) -> None:
    for target in _targets(value, 0):
        if target.startswith("."):
            notes.maps(name, _path(target))


def _targets(value: object, depth: int) -> Iterator[str]:
    """Yield the paths that an export may lead to, the likeliest to be source first."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth < MAX_DEPTH:
        for one in value[:MAX_DEPTH]:
            yield from _targets(one, depth + 1)
    elif isinstance(value, dict) and depth < MAX_DEPTH:
        known = [one for one in _CONDITIONS if one in value]
        for name in (*known, *(one for one in value if one not in known)):
            yield from _targets(value[name], depth + 1)


def read_config(text: str, path: str, notes: Notes) -> None:
    """Read path aliases, counted from `baseUrl`, and which settings of the project are extended."""
    del path
    settings = table(read_json(text))
    extended = settings.get("extends")
    for one in extended if isinstance(extended, list) else [extended]:
        if isinstance(one, str) and one.startswith("."):
            notes.add("extends", one if one.endswith(".json") else f"{one}.json")
    options = table(settings, "compilerOptions")
    base = options.get("baseUrl")
    base = base if isinstance(base, str) and not base.startswith("/") else None
    for name, values in table(options, "paths").items():
        for value in values if isinstance(values, list) else []:
            if isinstance(value, str) and not value.startswith("/"):
                notes.maps(name, _path(f"{base or '.'}/{value}"))
    if base is not None:
        notes.maps("*", _path(f"{base}/*"))


def _path(value: str) -> str:
    return normpath(value)
