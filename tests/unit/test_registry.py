from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadQuery, Conflict, UnknownProject
from paparatsd.model import GroupName, ProjectEntry, ProjectName, RemoteSpec
from paparatsd.naming import default_project_name
from paparatsd.project_entries import Rooms, check_document, parse_registry, validate_entry
from paparatsd.registry import HEADER, ProjectsFile, write_atomically

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    return home


@pytest.fixture
def projects(tmp_path: Path, home: Path) -> ProjectsFile:
    return ProjectsFile(tmp_path / "projects.yml", home=home)


def directory(tmp_path: Path, name: str) -> Path:
    path = tmp_path / "src" / name
    path.mkdir(parents=True)
    return path


def entry(name: str, path: str, group: str = "default") -> ProjectEntry:
    return ProjectEntry(ProjectName(name), path, GroupName(group))


def add(
    projects: ProjectsFile,
    path: Path | str,
    name: str | None = None,
    group: str | None = None,
    *,
    hooks: bool = True,
) -> ProjectEntry:
    return projects.add(str(path), name=name, group=group, hooks=hooks)


def test_without_a_file_there_are_no_projects(projects: ProjectsFile) -> None:
    registry = projects.read()
    assert (registry.entries, registry.problems) == ((), ())
    assert not projects.changed()


def test_an_added_directory_is_in_the_file_under_its_own_name(
    projects: ProjectsFile, tmp_path: Path, home: Path
) -> None:
    shop = directory(tmp_path, "shop")
    assert add(projects, shop) == entry("shop", str(shop))
    again = ProjectsFile(tmp_path / "projects.yml", home=home).read()
    assert again.entries == (entry("shop", str(shop)),)
    assert (tmp_path / "projects.yml").read_text().startswith(HEADER)
    assert not projects.changed()


def test_a_group_is_written_only_when_given_and_read_from_the_repository_else(
    projects: ProjectsFile, tmp_path: Path
) -> None:
    first, second = directory(tmp_path, "a"), directory(tmp_path, "b")
    (first / ".paparats.yml").write_text("group: backend\n")
    assert add(projects, first).group == "backend"
    assert add(projects, second, group="web", hooks=False).group == "web"
    text = (tmp_path / "projects.yml").read_text().removeprefix(HEADER)
    assert "backend" not in text
    assert "group: web" in text
    assert "hooks: false" in text


def test_a_forced_group_wins_over_everything(tmp_path: Path, home: Path) -> None:
    projects = ProjectsFile(tmp_path / "projects.yml", home=home, forced_group="one")
    assert add(projects, directory(tmp_path, "a"), group="two").group == "one"


def test_adding_the_same_again_changes_nothing(projects: ProjectsFile, tmp_path: Path) -> None:
    shop = directory(tmp_path, "shop")
    first = add(projects, shop)
    before = (tmp_path / "projects.yml").stat()
    assert add(projects, shop) == first
    assert add(projects, f"{shop}/", name="shop", group="default") == first
    link = tmp_path / "link"
    link.symlink_to(shop)
    assert add(projects, link) == first
    assert (tmp_path / "projects.yml").stat().st_ino == before.st_ino


@pytest.mark.parametrize(("name", "group"), [("other", None), (None, "other")])
def test_adding_a_registered_path_otherwise_is_a_conflict(
    projects: ProjectsFile, tmp_path: Path, name: str | None, group: str | None
) -> None:
    shop = directory(tmp_path, "shop")
    add(projects, shop)
    with pytest.raises(Conflict, match="registered already"):
        add(projects, shop, name, group)


def test_a_taken_name_is_a_conflict_that_tells_the_way_out(
    projects: ProjectsFile, tmp_path: Path
) -> None:
    add(projects, directory(tmp_path, "one/shop"))
    other = directory(tmp_path, "two/shop")
    with pytest.raises(Conflict, match="--name"):
        add(projects, other)
    with pytest.raises(Conflict, match="is taken by"):
        add(projects, other, name="shop")
    assert add(projects, other, name="shop2").name == "shop2"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a b", "a\nb", "ü", "a:b", "x" * 101])
def test_a_name_outside_the_safe_characters_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadQuery):
        validate_entry(entry(name, "/src/x"), (), tmp_path)


@pytest.mark.parametrize("group", ["x_arch", "x_docs", "x_terms", "a/b", "", "a b"])
def test_a_reserved_or_unsafe_group_is_refused(tmp_path: Path, group: str) -> None:
    with pytest.raises(BadQuery):
        validate_entry(entry("a", "/src/x", group), (), tmp_path)


@pytest.mark.parametrize("group", ["arch", "docs", "terms", "_docs.x"])
def test_a_group_may_be_called_like_a_reserved_ending(tmp_path: Path, group: str) -> None:
    assert validate_entry(entry("a", "/src/x", group), (), tmp_path).group == group


def test_dangerous_paths_are_refused_with_a_reason(
    projects: ProjectsFile, tmp_path: Path, home: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_text("")
    (tmp_path / "home-link").symlink_to(home)
    (tmp_path / ".git" / "hooks").mkdir(parents=True)
    (tmp_path / "a\nb").mkdir()
    refused = {
        "/": "whole machine",
        "//": "whole machine",
        "/..": "whole machine",
        str(home): "home directory",
        str(home / ".."): "home directory",
        str(tmp_path / "home-link"): "home directory",
        "relative/path": "relative",
        "": "characters",
        str(tmp_path / "gone"): "not there",
        str(tmp_path / "pipe"): "not a directory",
        str(tmp_path / "file"): "not a directory",
        str(tmp_path / "a\nb"): "characters",
        str(tmp_path / ".git" / "hooks"): "git's own directory",
        "/tmp/\udcff": "characters",
    }
    for path, reason in refused.items():
        with pytest.raises(BadQuery) as caught:
            add(projects, path)
        assert reason in str(caught.value), path
    assert not (tmp_path / "projects.yml").exists()


def test_a_project_inside_another_is_allowed(projects: ProjectsFile, tmp_path: Path) -> None:
    inner = directory(tmp_path, "outer/inner")
    add(projects, inner)
    add(projects, inner.parent)
    assert [one.name for one in projects.registry.entries] == ["inner", "outer"]


def test_removing_takes_only_the_named_project_out(projects: ProjectsFile, tmp_path: Path) -> None:
    add(projects, directory(tmp_path, "a"))
    add(projects, directory(tmp_path, "b"))
    assert projects.remove("a").name == "a"
    assert [one.name for one in projects.read().entries] == ["b"]
    with pytest.raises(UnknownProject):
        projects.remove("a")


def test_a_project_whose_directory_is_away_stays_registered(
    projects: ProjectsFile, tmp_path: Path
) -> None:
    shop = directory(tmp_path, "shop")
    add(projects, shop)
    shop.rmdir()
    assert [one.name for one in projects.read().entries] == ["shop"]


def test_a_hand_edit_is_noticed_and_read(projects: ProjectsFile, tmp_path: Path) -> None:
    file = tmp_path / "projects.yml"
    projects.read()
    file.write_text("repos:\n- path: /src/one\n")
    assert projects.changed()
    assert [one.name for one in projects.read().entries] == ["one"]
    assert not projects.changed()
    temporary = tmp_path / "atomic"
    temporary.write_text("repos:\n- path: /src/two\n")
    temporary.replace(file)
    assert projects.changed()
    assert [one.name for one in projects.read().entries] == ["two"]


def test_a_hand_edit_survives_an_add(projects: ProjectsFile, tmp_path: Path) -> None:
    file = tmp_path / "projects.yml"
    file.write_text(
        "defaults: {group: team}\n"
        "repos:\n- path: /src/one\n  docs: {kind: code}\n- url: owner/repo\n"
    )
    add(projects, directory(tmp_path, "two"))
    registry = projects.read()
    assert [(one.name, one.group) for one in registry.entries] == [("one", "team"), ("two", "team")]
    assert registry.entries[0].overrides == {"docs": {"kind": "code"}}
    assert len(registry.problems) == 1
    assert "no place to keep it" in registry.problems[0]
    assert "url: owner/repo" in file.read_text()


@pytest.mark.parametrize(
    "text", ["repos: [", "", "repos: 3", "- a", "defaults: 1", "rpos: []", "a: !!x y", "\xff\xfe"]
)
def test_a_broken_file_keeps_the_list_and_is_never_overwritten(
    projects: ProjectsFile, tmp_path: Path, text: str
) -> None:
    shop, other = directory(tmp_path, "shop"), directory(tmp_path, "other")
    add(projects, shop)
    file = tmp_path / "projects.yml"
    file.write_text(text, encoding="latin-1")
    registry = projects.read()
    assert [one.name for one in registry.entries] == ["shop"]
    assert len(registry.problems) == 1
    assert str(file) in registry.problems[0]
    with pytest.raises(Conflict, match="repair it first"):
        add(projects, other)
    with pytest.raises(Conflict, match="repair it first"):
        projects.remove("shop")
    assert file.read_text(encoding="latin-1") == text


def test_a_file_that_is_gone_for_a_moment_keeps_the_list(
    projects: ProjectsFile, tmp_path: Path
) -> None:
    add(projects, directory(tmp_path, "shop"))
    (tmp_path / "projects.yml").unlink()
    assert projects.changed()
    assert [one.name for one in projects.read().entries] == ["shop"]
    assert "it is gone" in projects.registry.problems[0]


def test_an_empty_list_means_no_projects(projects: ProjectsFile, tmp_path: Path) -> None:
    add(projects, directory(tmp_path, "shop"))
    (tmp_path / "projects.yml").write_text("repos: []\n")
    assert projects.read().entries == ()
    assert projects.registry.problems == ()


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ("3", "not a mapping"),
        ("{}", "exactly one of path and url"),
        ("{path: /a, url: b/c}", "exactly one of path and url"),
        ("{url: ftp://b/c}", "not fetched over ftp"),
        ("{path: 5}", "path: allowed: text"),
        ("{path: src/a}", "relative"),
        ("{path: /}", "whole machine"),
        ("{path: /a, name: a b}", "cannot be a project's name"),
        ("{path: /a, name: 7e1}", "name: allowed: text"),
        ("{path: /a, group: x_docs}", "reserved"),
        ("{path: /a, group: [x]}", "group: allowed: text"),
        ("{path: /a, hooks: 1}", "true or false"),
        ("{path: /a, colour: red}", "'colour' is unknown"),
        ("{path: /a, indexing: {chunkSize: 1}}", "from 128 to 8192"),
        ("{path: /good}", "registered already|is taken"),
        ("{path: /other, name: good}", "is taken by /good"),
    ],
)
def test_a_bad_entry_is_reported_by_number_and_the_others_keep_working(
    projects: ProjectsFile, tmp_path: Path, item: str, reason: str
) -> None:
    (tmp_path / "projects.yml").write_text(
        f"repos:\n- path: /good\n- {item}\n- path: /last\n", encoding="utf-8"
    )
    registry = projects.read()
    names = [one.name for one in registry.entries]
    assert names == ["good", "last"]
    assert "entry 2 is not used" in registry.problems[0]
    assert any(part in registry.problems[0] for part in reason.split("|"))


def test_an_entry_that_became_bad_keeps_its_project(projects: ProjectsFile, tmp_path: Path) -> None:
    file = tmp_path / "projects.yml"
    file.write_text("repos:\n- path: /src/one\n")
    before = projects.read().entries
    file.write_text("repos:\n- path: /src/one\n  groop: typo\n")
    registry = projects.read()
    assert registry.entries == before
    assert "'groop' is unknown" in registry.problems[0]


def test_defaults_hold_for_every_entry_and_extra_excludes_add_up(home: Path) -> None:
    document = check_document(
        {
            "defaults": {
                "group": "team",
                "hooks": False,
                "indexing": {"exclude_extra": ["a"], "chunkSize": 512},
            },
            "repos": [
                {"path": "/x"},
                {"path": "/y", "group": "g", "hooks": True, "indexing": {"exclude_extra": ["b"]}},
            ],
        }
    )
    first, second = parse_registry(document, home=home).entries
    assert (first.group, first.hooks, first.exclude) == ("team", False, ("a",))
    assert (second.group, second.hooks, second.exclude) == ("g", True, ("a", "b"))
    assert second.overrides["indexing"]["chunkSize"] == 512


def test_a_write_follows_a_link_and_keeps_the_mode(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.yml"
    real.write_text("old")
    real.chmod(0o640)
    link = tmp_path / "projects.yml"
    link.symlink_to(real)
    write_atomically(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dotfiles.yml", "projects.yml"]


@pytest.mark.parametrize(
    ("basename", "name"),
    [("shop", "shop"), ("my shop!", "my-shop"), (".dotfiles", "dotfiles"), ("日本", "project")],
)
def test_the_default_name_is_the_safe_form_of_the_directory(basename: str, name: str) -> None:
    assert default_project_name(basename) == name


def test_adding_and_removing_keep_the_comments_of_a_person(
    projects: ProjectsFile, tmp_path: Path
) -> None:
    file = tmp_path / "projects.yml"
    file.write_text("# mine\nrepos:\n  - path: /src/one  # the first\n# the end\n")
    add(projects, directory(tmp_path, "two"))
    assert [one.name for one in projects.read().entries] == ["one", "two"]
    assert file.read_text() == (
        "# mine\nrepos:\n  - path: /src/one  # the first\n"
        f"  - path: {tmp_path}/src/two\n    name: two\n# the end\n"
    )
    projects.remove("two")
    assert file.read_text() == "# mine\nrepos:\n  - path: /src/one  # the first\n# the end\n"
    projects.remove("one")
    assert projects.read().entries == ()
    assert file.read_text() == "# mine\nrepos:\n# the end\n"


@pytest.mark.parametrize("text", ["group: [", "group: a/b", "indexing: 3"])
def test_a_project_keeps_its_group_while_its_own_file_is_broken(
    projects: ProjectsFile, tmp_path: Path, text: str
) -> None:
    shop = directory(tmp_path, "shop")
    (shop / ".paparats.yml").write_text("group: backend\n")
    add(projects, shop)
    (shop / ".paparats.yml").write_text(text)
    assert projects.read().entries[0].group == "backend"
    (shop / ".paparats.yml").unlink()
    assert projects.read().entries[0].group == "default"


def test_a_project_keeps_its_group_while_its_directory_is_away(
    projects: ProjectsFile, tmp_path: Path
) -> None:
    shop = directory(tmp_path, "shop")
    (shop / ".paparats.yml").write_text("group: backend\n")
    add(projects, shop)
    shop.rename(tmp_path / "away")
    assert projects.read().entries[0].group == "backend"


def test_a_doubted_list_counts_as_changed_until_it_is_read(projects: ProjectsFile) -> None:
    projects.read()
    projects.doubt()
    assert projects.changed()
    projects.read()
    assert not projects.changed()


@pytest.fixture
def kept(tmp_path: Path, home: Path) -> ProjectsFile:
    """Return a list whose daemon keeps clones and pushed files."""
    rooms = Rooms(tmp_path / "state" / "remotes", tmp_path / "data" / "pushed")
    return ProjectsFile(tmp_path / "projects.yml", home=home, rooms=rooms)


def test_a_url_is_kept_in_a_clone_without_hooks(kept: ProjectsFile, tmp_path: Path) -> None:
    spec = RemoteSpec("https://github.com/acme/shop", branch="main")
    added = kept.add_remote(spec, group="web")
    assert (added.name, added.group, added.hooks, added.remote) == ("shop", "web", False, spec)
    assert added.path.startswith(str(tmp_path / "state" / "remotes" / "shop-"))
    assert kept.add_remote(spec) == added
    with pytest.raises(Conflict, match="registered already, as 'shop'"):
        kept.add_remote(RemoteSpec(spec.url))
    other = kept.add_remote(RemoteSpec(spec.url, ref="v1"), name="old")
    assert other.path != added.path
    assert kept.remove("shop") == added


def test_schedules_of_the_defaults_hold_for_urls_and_a_bad_one_keeps_what_was(
    kept: ProjectsFile, tmp_path: Path
) -> None:
    file = tmp_path / "projects.yml"
    file.write_text("defaults: {cron: '@daily'}\nrepos:\n- url: acme/shop\n  cron_fast: 'off'\n")
    (found,) = kept.read().entries
    assert found.remote == RemoteSpec(
        "https://github.com/acme/shop", cron="@daily", cron_fast="off"
    )
    assert kept.add_remote(RemoteSpec("https://github.com/acme/shop")) == found
    file.write_text("repos:\n- {url: acme/shop, cron: often}\n- {url: 'https://a:pw@h/x'}\n")
    registry = kept.read()
    assert registry.entries == (found,)
    assert "no schedule" in registry.problems[0]
    assert "pw" not in registry.problems[1]


def test_a_pushed_project_has_its_files_with_us(kept: ProjectsFile, tmp_path: Path) -> None:
    added = kept.add_pushed("wiki", "web")
    assert (added.path, added.pushed) == (str(tmp_path / "data" / "pushed" / "wiki"), True)
    with pytest.raises(Conflict, match="files are pushed"):
        kept.add_remote(RemoteSpec("https://github.com/acme/wiki"))
    with pytest.raises(BadQuery, match="drop the dot"):
        kept.add_pushed(".gone-x", "web")
