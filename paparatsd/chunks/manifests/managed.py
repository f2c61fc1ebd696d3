"""pom.xml and Gradle; C# projects and what is shared by those of a folder."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.chunks.manifests.notes import read_xml

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from paparatsd.chunks.manifests.notes import Notes

_ROOT_NAME = re.compile(r"rootProject\.name\s*=\s*[\"']([\w.-]+)[\"']")
_GROUP = re.compile(r"^\s*group\s*=?\s*[\"']([\w.-]+)[\"']", re.MULTILINE)
_NEEDED = re.compile(
    r"\b(?:implementation|api|compile|compileOnly|runtimeOnly|kapt|ksp|test\w+|annotationProcessor)"
    r"\s*\(?\s*[\"']([\w.-]+:[\w.-]+)(?::[^\"']*)?[\"']"
)
_PROPERTY = "$("


def read_pom(text: str, path: str, notes: Notes) -> None:
    """Read the artifact, with its group, and those that it depends on."""
    del path
    root = read_xml(text)
    if root is None:
        return
    artifact = _text(root, "artifactId")
    group = _text(root, "groupId") or _text(root, "parent/groupId")
    if artifact:
        notes.provides(f"{group}:{artifact}" if group else artifact, "maven")
    for one in root.findall("dependencies/dependency"):
        notes.depends([f"{_text(one, 'groupId')}:{_text(one, 'artifactId')}"], "maven")


def _text(element: Element, path: str) -> str:
    return (element.findtext(path) or "").strip()


def read_gradle(text: str, path: str, notes: Notes) -> None:
    """Read the group and artifacts that are written out; nothing is run."""
    del path
    named, group = _ROOT_NAME.search(text), _GROUP.search(text)
    if named is not None:
        notes.provides(f"{group[1]}:{named[1]}" if group is not None else named[1], "maven")
    notes.depends((one[1] for one in _NEEDED.finditer(text)), "maven")


def read_dotnet(text: str, path: str, notes: Notes) -> None:
    """Read the assembly's and package's name, packages needed, and namespaces open to all files."""
    root = read_xml(text)
    if root is None:
        return
    base = path.rpartition("/")[2]
    if base.lower().endswith("proj"):
        names = [_text(root, f"PropertyGroup/{one}") for one in ("AssemblyName", "PackageId")]
        for name in (names[0] or base.rpartition(".")[0], names[1]):
            if _PROPERTY not in name:
                notes.provides(name, "nuget")
    notes.depends((one.get("Include") for one in root.iter("PackageReference")), "nuget")
    for one in root.iter("Using"):
        if one.get("Static") is None and one.get("Alias") is None:
            namespace = one.get("Include") or ""
            if _PROPERTY not in namespace:
                notes.add("opens", namespace)
