"""How people write where a Qdrant server is, and the name by which it knows an installation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadReply, BadSettings
from paparatsd.store.address import qdrant_url
from paparatsd.store.installation import installation_id
from paparatsd.store.server_points import owned_point_id, read_point_id

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("box", "http://box:6333"),
        ("box.example:80", "http://box.example:80"),
        ("localhost", "http://localhost:6333"),
        ("10.0.0.1:6333", "http://10.0.0.1:6333"),
        ("[::1]", "http://[::1]:6333"),
        ("[fe80::1]:7000", "http://[fe80::1]:7000"),
        ("http://box", "http://box:6333"),
        ("http://box/", "http://box:6333"),
        ("https://x.cloud.qdrant.io", "https://x.cloud.qdrant.io:443"),
        ("https://x.cloud.qdrant.io:6333", "https://x.cloud.qdrant.io:6333"),
        ("http://box:80/prefix", "http://box:80/prefix"),
        ("https://box/deep/prefix/", "https://box:443/deep/prefix"),
        ("https://[::1]/q", "https://[::1]:443/q"),
    ],
)
def test_every_form_becomes_one_url_with_its_port(text: str, expected: str) -> None:
    assert qdrant_url(text) == expected
    assert qdrant_url(qdrant_url(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        ":memory:", "/var/lib/qdrant", "./qdrant", "~/qdrant", "grpc://box", "ftp://box", "http://",
        "user:key@box", "http://user:key@box", "http://box?x=1", "http://box#x", "box:0",
        "http://box:99999", "two words", "http://box/a b", "box/prefix",
    ],
)  # fmt: skip
def test_what_is_no_server_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the kind of setting adds the words
        qdrant_url(text)


def test_an_installation_keeps_its_name(tmp_path: Path) -> None:
    file = tmp_path / "installation"

    name = installation_id(file)

    assert len(name) == 16
    assert int(name, 16) >= 0
    assert installation_id(file) == name
    assert installation_id(tmp_path / "another") != name
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["another", "installation"]


def test_a_name_that_is_damaged_is_made_anew(tmp_path: Path) -> None:
    file = tmp_path / "installation"
    file.write_text("not a name\n")

    name = installation_id(file)

    assert file.read_text() == f"{name}\n"


def test_a_name_that_cannot_be_kept_keeps_the_daemon_from_starting(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="cannot be written"):
        installation_id(tmp_path / "missing" / "installation")
    with pytest.raises(BadSettings, match="cannot be read"):
        installation_id(tmp_path)


def test_a_point_of_each_installation_has_a_name_of_its_own() -> None:
    mine = owned_point_id("a" * 16, (1 << 63) - 1, 70_000)

    assert read_point_id(mine) == ((1 << 63) - 1, 70_000)
    assert owned_point_id("b" * 16, (1 << 63) - 1, 70_000) != mine
    with pytest.raises(BadReply, match="written by us"):
        read_point_id("somebody else's")
