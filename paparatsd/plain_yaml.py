"""YAML restricted to the JSON types, for files a person or a repository wrote.

No dates, no yes/no booleans, no tags, no aliases (a small file cannot grow into a large one), no
duplicate keys. A repository's file is opened so that a link or a device cannot be read through it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

from paparatsd.small_file import UnreadableFileError, read_small_file

if TYPE_CHECKING:
    from collections.abc import Hashable
    from pathlib import Path

MAX_YAML_DEPTH = 32
MAX_YAML_NODES = 100_000


class PlainYamlError(ValueError):
    """The text is not such YAML; the message says what and where, without the file's name."""


class _Loader(yaml.SafeLoader):
    """SafeLoader without what JSON does not have."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - base
    depth = 0
    nodes = 0
    max_nodes = MAX_YAML_NODES

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:  # noqa: ANN401 - as the base
        if self.check_event(yaml.AliasEvent):
            line = self.get_mark().line + 1
            raise PlainYamlError(f"line {line}: aliases are not allowed")
        self.nodes += 1
        if self.nodes > self.max_nodes:
            raise PlainYamlError(f"more than {self.max_nodes} values")
        self.depth += 1
        if self.depth > MAX_YAML_DEPTH:
            raise PlainYamlError(f"more than {MAX_YAML_DEPTH} levels deep")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:  # noqa: ANN401 - as the base
        seen = set()
        for key_node, _ in node.value:
            line = key_node.start_mark.line + 1
            if key_node.tag != "tag:yaml.org,2002:str":
                raise PlainYamlError(f"line {line}: a key must be text; put it into quotes")
            if key_node.value in seen:
                raise PlainYamlError(f"line {line}: {key_node.value!r} stands there twice")
            seen.add(key_node.value)
        return super().construct_mapping(node, deep)


_SCALARS = (
    ("bool", r"true|false", "tf"),
    ("null", r"null|~|", ["n", "~", ""]),
    ("int", r"-?(?:0|[1-9][0-9]{0,17})", "-0123456789"),
    ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", "-0123456789"),
)
for _name, _pattern, _first in _SCALARS:
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_name}", re.compile(rf"^(?:{_pattern})$"), list(_first)
    )


def _construct_float(loader: _Loader, node: yaml.ScalarNode) -> float:
    return float(loader.construct_scalar(node))


def _refuse_tag(loader: _Loader, node: yaml.Node) -> None:
    del loader
    raise PlainYamlError(f"line {node.start_mark.line + 1}: the tag {node.tag} is not allowed")


_Loader.yaml_constructors = {
    f"tag:yaml.org,2002:{name}": _Loader.yaml_constructors[f"tag:yaml.org,2002:{name}"]
    for name in ("null", "bool", "int", "str", "seq", "map")
}
_Loader.add_constructor("tag:yaml.org,2002:float", _construct_float)
_Loader.add_constructor(None, _refuse_tag)


def load_plain_yaml(text: str, *, max_nodes: int = MAX_YAML_NODES) -> Any:  # noqa: ANN401 - JSON
    """Return what the one document in `text` says; raises PlainYamlError.

    The parser takes about 45 microseconds a node, so `max_nodes` bounds its time.
    """
    loader = None
    try:
        loader = _Loader(text)
        loader.max_nodes = max_nodes
        return loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise PlainYamlError(f"{where}not valid YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise PlainYamlError(f"not valid YAML: {str(error).splitlines()[0]}") from None
    finally:
        if loader is not None:
            loader.dispose()


def read_plain_yaml(
    path: Path, *, max_bytes: int, max_nodes: int = MAX_YAML_NODES, follow: bool
) -> Any:  # noqa: ANN401 - any JSON value
    """Return what a YAML file says; raises FileNotFoundError and PlainYamlError.

    With `follow` unset a link is refused: the file came with a repository.
    """
    try:
        data, _ = read_small_file(path, max_bytes=max_bytes, follow=follow)
    except UnreadableFileError as error:
        raise PlainYamlError(str(error)) from None
    try:
        return load_plain_yaml(data.decode("utf-8-sig"), max_nodes=max_nodes)
    except UnicodeDecodeError:
        raise PlainYamlError("it is not UTF-8 text") from None


class _Dumper(yaml.SafeDumper):
    """SafeDumper whose plain words are read back as text by `_Loader`; no anchors."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ANN401 - as the base
        del data
        return True


for _name, _pattern, _first in _SCALARS:
    _Dumper.add_implicit_resolver(
        f"tag:yaml.org,2002:{_name}", re.compile(rf"^(?:{_pattern})$"), list(_first)
    )


def dump_plain_yaml(document: object) -> str:
    """Return the text that `load_plain_yaml` reads as `document`."""
    return yaml.dump(
        document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False
    )
