"""What an entry of `projects.yml` says of a repository elsewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadQuery
from paparatsd.model import RemoteSpec
from paparatsd.remotes.cron import parse_cron
from paparatsd.sources.remote_address import parse_address

if TYPE_CHECKING:
    from collections.abc import Mapping

REMOTE_KEYS = frozenset({"branch", "ref", "depth", "cron", "cron_fast"})
MAX_DEPTH = 1_000_000
OFF = "off"
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BAD_IN_NAME = re.compile(r"[\s~^:?*\[\\\x00-\x20\x7f]|\.\.|@\{|//|/\.|\.lock(?:/|$)")


def remote_of(raw: Mapping[str, Any], defaults: Mapping[str, Any]) -> RemoteSpec | None:
    """Return what an entry follows, None for one without `url`. Raises BadQuery.

    `cron` and `cron_fast` of `defaults` hold for entries that name none.
    """
    if raw.get("url") is None:
        odd = sorted(REMOTE_KEYS & raw.keys())
        if odd:
            raise BadQuery(f"{odd[0]} is for repositories elsewhere: it needs a url")
        return None
    if not isinstance(raw["url"], str):
        raise BadQuery("url: allowed: text; put it into quotes")
    texts = {key: _text(raw, key) for key in ("branch", "ref")}
    times = {key: _text(raw, key) or _text(defaults, key) for key in ("cron", "cron_fast")}
    depth = raw.get("depth", 0)
    if isinstance(depth, bool) or not isinstance(depth, int) or not 0 <= depth <= MAX_DEPTH:
        raise BadQuery(f"depth: allowed: a whole number from 0 (all) to {MAX_DEPTH}")
    return check_spec(RemoteSpec(raw["url"], depth=depth, **texts, **times))


def check_spec(spec: RemoteSpec) -> RemoteSpec:
    """Return a specification with its URL in its plain form; raises BadQuery."""
    url = parse_address(spec.url).url
    if spec.branch and spec.ref:
        raise BadQuery("give a branch or a ref, not both")
    for key, name in (("branch", spec.branch), ("ref", spec.ref)):
        if name and not is_ref_name(name):
            raise BadQuery(f"{key}: {name[:100]!r} cannot be the name of one")
    times = {
        key: text and (OFF if text.lower() == OFF else parse_cron(text).text)
        for key, text in (("cron", spec.cron), ("cron_fast", spec.cron_fast))
    }
    return RemoteSpec(url, spec.branch, spec.ref, spec.depth, **times)


def is_ref_name(name: str) -> bool:
    """Say whether git would take a name for a branch or a tag, and nobody for an option."""
    if not name or len(name) > 200 or not name.isprintable() or name[0] in "-./":
        return False
    return not _BAD_IN_NAME.search(name) and not name.endswith(("/", ".")) and name != "@"


def is_commit(name: str) -> bool:
    """Say whether a ref is the full id of a commit."""
    return bool(_COMMIT.fullmatch(name))


def _text(raw: Mapping[str, Any], key: str) -> str:
    value = raw.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadQuery(f"{key}: allowed: text; put it into quotes")
    return value.strip()
