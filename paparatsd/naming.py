"""What projects, groups and audiences may be called."""

from __future__ import annotations

import re

from paparatsd.errors import BadQuery
from paparatsd.model import GroupName, ProjectName

DEFAULT_GROUP = GroupName("default")
MAX_NAME_CHARS = 100
RESERVED_SUFFIXES = ("_arch", "_docs", "_terms")
"""A group `x_docs` would share its code collection with the documents of group `x`."""
EVERY = "all"
"""What stands for every project where a name is asked for, so nothing may be called so."""
UNLABELLED = "internal"
"""For whom a document is that nobody has labelled."""
AUDIENCE_ALLOWED = "letters, digits, '.', '_' and '-', the first a letter or digit, at most 64"
_AUDIENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_NAME = re.compile(r"[A-Za-z0-9._][A-Za-z0-9._-]*")
_ALLOWED = (
    f"allowed: letters, digits, '.', '_' and '-', the first one not '-', at most {MAX_NAME_CHARS}"
)


def check_project_name(name: str) -> ProjectName:
    """Return `name` if a project may have it; raises BadQuery."""
    problem = _problem_of(name)
    if problem:
        raise BadQuery(f"{name!r} cannot be a project's name; {problem}; choose one with --name")
    return ProjectName(name)


def check_group_name(name: str) -> GroupName:
    """Return `name` if a group may have it; raises BadQuery."""
    problem = _problem_of(name)
    if problem:
        raise BadQuery(f"{name!r} cannot be a group's name; {problem}")
    for suffix in RESERVED_SUFFIXES:
        if name.endswith(suffix):
            raise BadQuery(
                f"{name!r} cannot be a group's name: the ending {suffix} is reserved; choose "
                "another name"
            )
    return GroupName(name)


def is_audience(label: str) -> bool:
    """Say whether `label` can name for whom a document is; see `AUDIENCE_ALLOWED`."""
    return _AUDIENCE.fullmatch(label) is not None


def _problem_of(name: str) -> str:
    # A name that begins with '-' would be read as an option wherever it is typed.
    if not _NAME.fullmatch(name) or name.strip(".") == "" or len(name) > MAX_NAME_CHARS:
        return _ALLOWED
    return "it stands for every project" if name == EVERY else ""


def default_project_name(basename: str) -> ProjectName:
    """Make a project's name of the last part of its path."""
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", basename).strip("-.")[:MAX_NAME_CHARS]
    if safe == EVERY:
        safe = f"{EVERY}-project"
    return ProjectName(safe or "project")
