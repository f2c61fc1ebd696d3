"""What an agent may have registered, and what not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadQuery
from paparatsd.model import GroupName, ProjectEntry, ProjectName
from paparatsd.registration import free_name, registrable

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home directory with a repository, a plain folder and hidden ones."""
    home = tmp_path / "ann"
    for folder in ("src/shop/.git", "src/shop/lib/deep", "src/plain/below", ".ssh", ".cfg/.git"):
        (home / folder).mkdir(parents=True)
    (home / "src/shop/file.py").write_text("")
    return home


def entry(path: Path) -> ProjectEntry:
    return ProjectEntry(ProjectName(path.name), str(path), GroupName("default"))


def test_of_a_folder_in_a_repository_the_repository_is_registered(home: Path) -> None:
    assert registrable(str(home / "src/shop/lib/deep"), ("~",), home, ()) == home / "src/shop"
    assert registrable(str(home / "src/shop") + "/", ("~/src",), home, ()) == home / "src/shop"


def test_a_folder_outside_of_repositories_is_registered_itself(home: Path) -> None:
    assert registrable(str(home / "src/plain"), ("~",), home, ()) == home / "src/plain"


def test_a_link_leads_to_what_it_points_to(home: Path) -> None:
    (home / "link").symlink_to(home / "src/shop")
    assert registrable(str(home / "link"), ("~",), home, ()) == home / "src/shop"
    (home / "out").symlink_to(home.parent / "bob")
    (home.parent / "bob/code").mkdir(parents=True)
    with pytest.raises(BadQuery, match="agents register only what lies in ~"):
        registrable(str(home / "out/code"), ("~",), home, ())


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/", "the whole machine"),
        ("/etc", "belongs to the system"),
        ("{home}", "contains your home directory"),
        ("{home}/..", "contains your home directory"),
        ("{home}/gone", "is not there"),
        ("{home}/src/shop/file.py", "is not a directory"),
        ("{home}/.ssh", "it is hidden or in a hidden folder"),
        ("relative", "its path is relative"),
        ("{home}/src", r"holds projects that are registered on their own \(shop\)"),
    ],
)
def test_what_agents_may_not_register_is_refused_with_the_reason(
    home: Path, path: str, said: str
) -> None:
    with pytest.raises(BadQuery, match=said):
        registrable(path.format(home=home), ("~",), home, (entry(home / "src/shop"),))


def test_outside_the_allowed_folders_a_person_is_asked(home: Path) -> None:
    with pytest.raises(BadQuery, match=f"a person can: paparats add {home}/src/plain"):
        registrable(str(home / "src/plain"), ("~/work", "/srv"), home, ())
    with pytest.raises(BadQuery, match="agents register nothing here"):
        registrable(str(home / "src/plain"), (), home, ())


def test_a_hidden_folder_may_be_registered_when_it_is_a_repository(home: Path) -> None:
    assert registrable(str(home / ".cfg"), ("~",), home, ()) == home / ".cfg"


def test_a_repository_that_is_the_home_directory_is_not_registered_for_a_folder(home: Path) -> None:
    (home / ".git").mkdir()
    assert registrable(str(home / "src/plain"), ("~",), home, ()) == home / "src/plain"


def test_a_name_that_is_taken_gets_what_tells_it_apart(home: Path) -> None:
    shop = home / "src/shop"
    assert free_name(shop, ()) == "shop"
    assert free_name(shop, {"shop"}) == "src-shop"
    third = free_name(shop, {"shop", "src-shop"})
    assert third.startswith("shop-")
    assert third == free_name(shop, {"shop", "src-shop"})
