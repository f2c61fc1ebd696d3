"""Which manifest is read how: by the name of the file."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

import structlog

from paparatsd.chunks.manifests.compiled import read_cargo, read_go_mod, read_swift
from paparatsd.chunks.manifests.ecma import read_config, read_package
from paparatsd.chunks.manifests.managed import read_dotnet, read_gradle, read_pom
from paparatsd.chunks.manifests.notes import Notes
from paparatsd.chunks.manifests.python import (
    read_pyproject,
    read_requirements,
    read_setup,
    read_setup_cfg,
)
from paparatsd.chunks.manifests.scripting import read_composer, read_gemfile, read_gemspec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paparatsd.model import Fact

log = structlog.get_logger()

MAX_CHARS = 300_000
"""Larger files of these names are no manifests that a person wrote."""

_BY_NAME: Mapping[str, Callable[[str, str, Notes], None]] = MappingProxyType(
    {
        "package.json": read_package,
        "pyproject.toml": read_pyproject,
        "setup.cfg": read_setup_cfg,
        "setup.py": read_setup,
        "requirements.txt": read_requirements,
        "go.mod": read_go_mod,
        "Cargo.toml": read_cargo,
        "Package.swift": read_swift,
        "pom.xml": read_pom,
        "build.gradle": read_gradle,
        "build.gradle.kts": read_gradle,
        "settings.gradle": read_gradle,
        "settings.gradle.kts": read_gradle,
        "composer.json": read_composer,
        "Gemfile": read_gemfile,
        "Directory.Build.props": read_dotnet,
        "Directory.Build.targets": read_dotnet,
    }
)
_BY_ENDING: Mapping[str, Callable[[str, str, Notes], None]] = MappingProxyType(
    {"gemspec": read_gemspec, "csproj": read_dotnet, "fsproj": read_dotnet, "vbproj": read_dotnet}
)
_CONFIG = re.compile(r"[jt]sconfig(?:\.[\w.-]+)?\.json")


def manifest_facts(path: str, text: str) -> tuple[Fact, ...]:
    """Return what a manifest says of packages; nothing for other files and for broken ones."""
    name = path.rpartition("/")[2]
    read = _BY_NAME.get(name) or _BY_ENDING.get(name.rpartition(".")[2])
    if read is None:
        if _CONFIG.fullmatch(name) is None:
            return ()
        read = read_config
    if len(text) > MAX_CHARS:
        return ()
    notes = Notes(text)
    try:
        read(text, path, notes)
    except (ValueError, TypeError, RecursionError, ParseError) as error:
        log.debug("manifest_not_read", path=path, error=repr(error)[:200])
        return ()
    return notes.facts()
