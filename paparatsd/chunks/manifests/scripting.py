"""composer.json, gem specifications, Gemfile."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.chunks.manifests.notes import read_json, table, texts

if TYPE_CHECKING:
    from paparatsd.chunks.manifests.notes import Notes

_GEM_NAME = re.compile(r"^\s*\w+\.name\s*=\s*[\"']([\w.-]+)[\"']", re.MULTILINE)
_GEM_NEEDED = re.compile(r"\.add_(?:\w+_)?dependency\s*\(?\s*[\"']([\w.-]+)[\"']")
_GEMFILE = re.compile(r"^\s*gem\s*\(?\s*[\"']([\w.-]+)[\"']", re.MULTILINE)


def read_composer(text: str, path: str, notes: Notes) -> None:
    """Read the package, those it requires, and which folders hold which namespaces."""
    del path
    manifest = table(read_json(text))
    notes.provides(manifest.get("name"), "composer")
    for key in ("require", "require-dev"):
        notes.depends((one for one in table(manifest, key) if "/" in one), "composer")
    for key in ("autoload", "autoload-dev"):
        for rule in ("psr-4", "psr-0"):
            for namespace, folders in table(manifest, key, rule).items():
                for folder in [folders] if isinstance(folders, str) else texts(folders):
                    notes.maps(namespace.strip("\\"), folder.strip("/") or ".")


def read_gemspec(text: str, path: str, notes: Notes) -> None:
    """Read the gem and those that it depends on; nothing is run."""
    named = _GEM_NAME.search(text)
    stem = path.rpartition("/")[2].removesuffix(".gemspec")
    notes.provides(named[1] if named is not None else stem, "gem")
    notes.depends((one[1] for one in _GEM_NEEDED.finditer(text)), "gem")


def read_gemfile(text: str, path: str, notes: Notes) -> None:
    """Read which gems are needed."""
    del path
    notes.depends((one[1] for one in _GEMFILE.finditer(text)), "gem")
