"""Which language's imports are found how: one line per language."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from paparatsd.graph.modules.base import NoModules
from paparatsd.graph.modules.cfamily import CFamilyModules
from paparatsd.graph.modules.dotnet import DotnetModules
from paparatsd.graph.modules.ecma import EcmaModules
from paparatsd.graph.modules.go import GoModules
from paparatsd.graph.modules.jvm import JvmModules
from paparatsd.graph.modules.php import PhpModules
from paparatsd.graph.modules.python import PythonModules
from paparatsd.graph.modules.ruby import RubyModules
from paparatsd.graph.modules.rust import RustModules
from paparatsd.graph.modules.swift import SwiftModules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paparatsd.graph.modules.base import Modules

_UNKNOWN = NoModules()

MODULES: Mapping[str, Modules] = MappingProxyType(
    {
        "python": PythonModules(),
        "notebook": PythonModules(),
        "javascript": EcmaModules(),
        "jsx": EcmaModules(),
        "typescript": EcmaModules(),
        "tsx": EcmaModules(),
        "vue": EcmaModules(),
        "svelte": EcmaModules(),
        "go": GoModules(),
        "rust": RustModules(),
        "c": CFamilyModules(),
        "cpp": CFamilyModules(),
        "objc": CFamilyModules(),
        "swift": SwiftModules(),
        "java": JvmModules(),
        "kotlin": JvmModules(),
        "scala": JvmModules(),
        "groovy": JvmModules(),
        "csharp": DotnetModules(),
        "php": PhpModules(),
        "ruby": RubyModules(),
    }
)
"""By the names of `chunks.languages`."""


def modules_of(language: str) -> Modules:
    """Return how imports of a language are found; of unknown ones nothing is."""
    return MODULES.get(language, _UNKNOWN)
