"""Where the data files that ship with the package are: hooks, systemd units and completions."""

from __future__ import annotations

from pathlib import Path

from paparatsd.errors import Broken

SOURCE_TREE_PLACES = {
    "hooks": "hooks",
    "systemd": "systemd",
    "completions": "contrib/completions",
}
"""Where each kind lies in a source tree; a wheel has all of them under `_data`."""


def packaged(kind: str) -> Path:
    """Return the directory of one kind of data file: of the wheel, else of the source tree."""
    package = Path(__file__).resolve().parent
    installed = package / "_data" / kind
    if installed.is_dir():
        return installed
    source = package.parent / SOURCE_TREE_PLACES[kind]
    if source.is_dir():
        return source
    raise Broken(f"the installation is incomplete: {installed} is missing; install paparatsd again")
