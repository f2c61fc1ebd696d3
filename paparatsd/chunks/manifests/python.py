"""pyproject.toml, setup.cfg, setup.py, requirements: names, and where packages lie."""

from __future__ import annotations

import re
import tomllib
from configparser import ConfigParser
from configparser import Error as ConfigError
from posixpath import normpath
from typing import TYPE_CHECKING, Any

from paparatsd.chunks.arguments import read_call, string_value, strings_in
from paparatsd.chunks.manifests.notes import table, texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paparatsd.chunks.manifests.notes import Notes

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_DASHES = re.compile(r"[-_.]+")
_SETUP = re.compile(r"(?:^|[\s.=])setup\s*\(")
_KEYWORD = re.compile(r"\s*(\w+)\s*=(?!=)\s*(.*)", re.DOTALL)
_ASSIGNED = re.compile(r"^(\w+)\s*=\s*([\"'])([^\"'\n]*)\2\s*(?:#.*)?$", re.MULTILINE)


def distribution(name: str) -> str:
    """Return a distribution's name in its normal form (PEP 503).

    >>> distribution("Flask_SQLAlchemy")
    'flask-sqlalchemy'
    """
    return _DASHES.sub("-", name).lower()


def _provides(name: object, notes: Notes) -> None:
    """Note a distribution, also as it would be imported: nothing better is known of most."""
    if isinstance(name, str) and _NAME.fullmatch(name.strip()):
        normal = distribution(name.strip())
        notes.provides(normal, "python")
        notes.provides(normal.replace("-", "_"), "python")


def _packages(names: Iterable[str], notes: Notes) -> None:
    """Note the outermost of these packages, written with dots or as paths."""
    for name in names:
        folder, _, last = name.strip("/").rpartition("/")
        last = last.removesuffix(".py").partition(".")[0]
        if last.isidentifier():
            notes.provides(last, "python")
            if folder:
                notes.maps("*", f"{normpath(folder)}/*")


def _root(folder: object, notes: Notes) -> None:
    """Note a folder that imports are counted from."""
    if isinstance(folder, str) and not folder.startswith("/") and normpath(folder) != ".":
        notes.maps("*", f"{normpath(folder)}/*")


def _depends(requirements: Iterable[str], notes: Notes) -> None:
    found = (_NAME.match(one.strip()) for one in requirements)
    notes.depends((distribution(one[0]) for one in found if one is not None), "python")


def read_pyproject(text: str, path: str, notes: Notes) -> None:
    """Read the tables of the standard, and of setuptools, Poetry, Hatch, Flit and PDM."""
    del path
    manifest = tomllib.loads(text)
    project, poetry = table(manifest, "project"), table(manifest, "tool", "poetry")
    for one in (project, poetry):
        _provides(one.get("name"), notes)
    _depends(texts(project.get("dependencies")), notes)
    for extra in (
        *table(project, "optional-dependencies").values(),
        *table(manifest, "dependency-groups").values(),
    ):
        _depends(texts(extra), notes)
    _depends((one for one in table(poetry, "dependencies") if one != "python"), notes)
    for one in poetry.get("packages") or ():
        if isinstance(one, dict) and isinstance(one.get("include"), str):
            _packages([one["include"]], notes)
            _root(one.get("from"), notes)
    _read_builders(table(manifest, "tool"), notes)


def _read_builders(tools: dict[str, Any], notes: Notes) -> None:
    setuptools = table(tools, "setuptools")
    _packages(texts(setuptools.get("packages")), notes)
    _packages(texts(setuptools.get("py-modules")), notes)
    _root(table(setuptools, "package-dir").get(""), notes)
    for where in texts(table(setuptools, "packages", "find").get("where")):
        _root(where, notes)
    _packages(texts(table(tools, "hatch", "build", "targets", "wheel").get("packages")), notes)
    for builder in ("flit", "pdm", "maturin", "uv"):
        settings = table(tools, builder)
        names = [table(settings, "module").get("name"), settings.get("module-name")]
        _packages((one for one in names if isinstance(one, str)), notes)
        _root(settings.get("python-source"), notes)


def read_setup_cfg(text: str, path: str, notes: Notes) -> None:
    """Read the name, the packages and their root."""
    del path
    settings = ConfigParser(interpolation=None, strict=False)
    try:
        settings.read_string(text)
    except ConfigError as error:
        raise ValueError(str(error)) from error
    _provides(settings.get("metadata", "name", fallback=None), notes)
    _depends(_rows(settings, "options", "install_requires"), notes)
    _packages(
        (one for one in _rows(settings, "options", "packages") if not one.startswith("find")), notes
    )
    _packages(_rows(settings, "options", "py_modules"), notes)
    _root(settings.get("options.packages.find", "where", fallback=None), notes)
    for row in _rows(settings, "options", "package_dir"):
        name, _, folder = row.partition("=")
        if not name.strip():
            _root(folder.strip(), notes)


def _rows(settings: ConfigParser, section: str, key: str) -> list[str]:
    value = settings.get(section, key, fallback="")
    return [row.strip() for row in re.split(r"[\n,]", value) if row.strip()]


def read_setup(text: str, path: str, notes: Notes) -> None:
    """Read what is written out in the call of `setup`; nothing is run."""
    del path
    found = _SETUP.search(text)
    if found is None:
        return
    constants = {one[1]: f"{one[2]}{one[3]}{one[2]}" for one in _ASSIGNED.finditer(text)}
    call = read_call(text, found.end() - 1)
    given = {}
    for argument in call.arguments:
        keyword = _KEYWORD.fullmatch(argument)
        if keyword is not None:
            given[keyword[1]] = constants.get(keyword[2].strip(), keyword[2])
    _provides(string_value(given.get("name", "")), notes)
    for key in ("packages", "py_modules"):
        if given.get(key, "").startswith(("[", "(")):
            _packages(strings_in(given[key]), notes)
    _depends(strings_in(given.get("install_requires", "")), notes)
    folder = re.search(r"[\"']{2}\s*:\s*[\"']([^\"']+)[\"']", given.get("package_dir", ""))
    where = re.search(r"find_\w*packages\(\s*(?:where\s*=\s*)?[\"']([^\"']+)", text)
    for one in (folder, where):
        _root(one[1] if one is not None else None, notes)


def read_requirements(text: str, path: str, notes: Notes) -> None:
    """Read which distributions are required."""
    del path
    _depends((line for line in text.splitlines() if line[:1].isalnum()), notes)
