from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from paparatsd.place_labels import ProjectLabels
from paparatsd.plain_yaml import PlainYamlError, dump_plain_yaml, load_plain_yaml
from paparatsd.repo_config import (
    BadRepoConfigError,
    LoadedRepoConfig,
    RepoConfig,
    load_repo_config,
    parse_repo_config,
    unknown_keys,
)

if TYPE_CHECKING:
    from pathlib import Path

FULL = """\
group: backend
language: [python, go, python]
indexing:
  paths: [src, ./lib/]
  exclude: [vendor/]
  exclude_extra: ["*.snap"]
  respectGitignore: false
  chunkSize: 2000
  overlap: 100
  concurrency: 4
  batchSize: 50
watcher: {enabled: true, debounce: 1000, stabilityThreshold: 500}
embeddings: {provider: llama, model: bge-code-v1, dimensions: 1536}
metadata:
  service: checkout
  bounded_context: null
  tags: [core]
  directory_tags: {src/api: [http, public]}
  git: {enabled: true, maxCommitsPerFile: 20, ticketPatterns: ["[A-Z]+-\\\\d+"]}
history: {tickets: ["bpo-(\\\\d+)"], jira: "https://jira.example.org/"}
docs: {kind: prose, audience: partner}
"""


def load(
    root: Path, text: str | bytes, overrides: dict[str, Any] | None = None
) -> LoadedRepoConfig:
    data = text if isinstance(text, bytes) else text.encode()
    (root / ".paparats.yml").write_bytes(data)
    return load_repo_config(root, overrides)


def test_an_absent_file_means_the_defaults_without_a_problem(tmp_path: Path) -> None:
    assert load_repo_config(tmp_path) == LoadedRepoConfig(RepoConfig(), "", ())
    assert load_repo_config(tmp_path / "gone") == LoadedRepoConfig(RepoConfig(), "", ())


def test_every_key_reaches_its_field(tmp_path: Path) -> None:
    loaded = load(tmp_path, FULL)
    assert loaded.problem == ""
    assert all("understood but has no effect" in text for text in loaded.warnings)
    idle = ("indexing.chunkSize", "indexing.overlap", "watcher.enabled", "embeddings.provider")
    for key in idle:
        assert any(f"'{key}'" in text for text in loaded.warnings)
    assert not any("indexing.paths" in text for text in loaded.warnings)
    assert loaded.config == RepoConfig(
        group="backend",  # type: ignore[arg-type]  # equal to the plain text
        exclude=("vendor/",),
        exclude_extra=("*.snap",),
        paths=("src", "lib"),
        respect_gitignore=False,
        docs_kind="prose",
        docs_audience="partner",
        labels=ProjectLabels(
            service="checkout", tags=("core",), folders={"src/api": ("http", "public")}
        ),
        ticket_patterns=(r"[A-Z]+-\d+", r"bpo-(\d+)"),
        jira_url="https://jira.example.org",
    )


def test_an_unknown_key_is_a_warning_with_the_closest_known_one(tmp_path: Path) -> None:
    loaded = load(tmp_path, "indexing:\n  exclude_extras: [a]\nzzz: 1\n")
    assert loaded.problem == ""
    assert "did you mean 'indexing.exclude_extra'" in loaded.warnings[0]
    assert "'zzz' is unknown" in loaded.warnings[1]
    assert str(tmp_path) in loaded.warnings[0]


@pytest.mark.parametrize(
    ("text", "needle"),
    [
        ("group: 5", "group: 5 cannot be used"),
        ("group: a/b", "'a/b' cannot be a group's name"),
        ("group: x_terms", "reserved"),
        ("indexing: 3", "indexing: 3"),
        ("indexing: {chunkSize: 127}", "from 128 to 8192"),
        ("indexing: {chunkSize: 8193}", "from 128 to 8192"),
        ("indexing: {chunkSize: 128.5}", "from 128 to 8192"),
        ("indexing: {chunkSize: true}", "from 128 to 8192"),
        ("indexing: {chunkSize: 500, overlap: 500}", "not less than"),
        ("indexing: {overlap: 1024}", "not less than"),
        ("indexing: {concurrency: 21}", "from 1 to 20"),
        ("indexing: {batchSize: 0}", "from 1 to 1000"),
        ("indexing: {respectGitignore: yes}", "true or false"),
        ("indexing: {exclude: vendor}", "a list of"),
        ("indexing: {exclude: [1]}", "a list of texts"),
        ("indexing: {exclude: ['a\\nb', ''] }", "a list of texts"),
        ("indexing: {paths: [/etc]}", "relative paths"),
        ("indexing: {paths: [../x]}", "relative paths"),
        ("indexing: {paths: ['src/*']}", "without wildcards"),
        ("watcher: {debounce: 99}", "from 100 to 10000"),
        ("embeddings: {provider: acme}", "static or llama"),
        ("metadata: {directory_tags: [a]}", "directories, each"),
        ("metadata: {git: {maxCommitsPerFile: 501}}", "from 1 to 500"),
        ("metadata: {git: {ticketPatterns: ['(']}}", "metadata.git.ticketPatterns: ['('] cannot"),
        ("metadata: {git: {ticketPatterns: ['(']}}", "'(' is not: it is no regular expression"),
        ("history: {tickets: ['(a+)+']}", "history.tickets: ['(a+)+'] cannot be used"),
        ("history: {tickets: ['(a+)+']}", "'(a+)+' is not: a repeat in it lies in another repeat"),
        ("history: {tickets: ['x*']}", "it matches the empty text"),
        ("history: {tickets: [a, b, c, d, e, f, g, h, i, j, k]}", "at most 10 regular expressions"),
        (
            "history: {tickets: [a, b, c, d, e, f]}\n"
            "metadata: {git: {ticketPatterns: [g, h, i, j, k]}}",
            "together have over 10",
        ),
        ("history: {tickets: ABC}", "a list of"),
        ("history: [ABC]", "allowed: keys below it"),
        ("history: {jira: jira.example.org}", "a web address such as"),
        ("history: {jira: 'javascript:alert(1)'}", "a web address such as"),
        ("history: {jira: 'https://user:secret@jira.example.org'}", "a web address such as"),
        ("history: {jira: 'https://jira.example.org/?a=1'}", "a web address such as"),
        ("history: {jira: 'https://jira.example.org:x'}", "a web address such as"),
        ("history: {jira: 'https://jira.example.org/../x'}", "a web address such as"),
        ("history: {jira: 'https://'}", "a web address such as"),
        ("history: {jira: 5}", "a web address such as"),
        ("docs: {kind: poem}", "auto or prose or code"),
        ("docs: {audience: for everybody}", "docs.audience: 'for everybody' cannot be used"),
        ("docs: {audience: -x}", "the first a letter or digit"),
        ("- a", "it has no keys"),
        ("group: a\ngroup: b", "twice"),
        ("group: [", "not valid YAML"),
        ("group: &a x\nlanguage: *a", "aliases"),
        ("1: a", "a key must be text"),
        ("a: !!python/object/apply:os.system [id]", "not allowed"),
        ("[" * 500, "levels deep"),
        ("a: [" + "1," * 30_000 + "]", "more than 4000 values"),
    ],
)
def test_a_bad_file_is_a_problem_that_names_it_and_says_nothing_else(
    tmp_path: Path, text: str, needle: str
) -> None:
    loaded = load(tmp_path, text)
    assert needle in loaded.problem
    assert str(tmp_path / ".paparats.yml") in loaded.problem
    assert loaded.config is None


@pytest.mark.parametrize("text", ["", "# only a comment\n", "indexing:\n", "{}"])
def test_an_empty_file_means_the_defaults_since_every_key_is_optional(
    tmp_path: Path, text: str
) -> None:
    assert load(tmp_path, text) == LoadedRepoConfig(RepoConfig(), "", ())


def test_a_file_that_is_no_text_too_large_or_no_file_is_a_problem(tmp_path: Path) -> None:
    assert "not UTF-8" in load(tmp_path, b"\xff\xfe\x00").problem
    assert "larger than" in load(tmp_path, b"#" * (1 << 19)).problem
    (tmp_path / ".paparats.yml").unlink()
    os.mkfifo(tmp_path / ".paparats.yml")
    assert "not a regular file" in load_repo_config(tmp_path).problem
    (tmp_path / ".paparats.yml").unlink()
    (tmp_path / ".paparats.yml").mkdir()
    assert "not a regular file" in load_repo_config(tmp_path).problem


def test_a_link_to_a_file_elsewhere_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("password: hunter2\n")
    root = tmp_path / "repo"
    root.mkdir()
    (root / ".paparats.yml").symlink_to(tmp_path / "secret")
    loaded = load_repo_config(root)
    assert "is a link" in loaded.problem
    assert "hunter2" not in loaded.problem


def test_a_path_that_leaves_the_project_by_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    root = tmp_path / "repo"
    (root / "src").mkdir(parents=True)
    (root / "lib").symlink_to(tmp_path / "out")
    assert load(root, "indexing: {paths: [src]}").problem == ""
    assert "leaves the project" in load(root, "indexing: {paths: [src, lib]}").problem


def test_the_root_itself_as_a_path_means_everything(tmp_path: Path) -> None:
    config = load(tmp_path, "indexing: {paths: ['.']}").config
    assert config is not None
    assert config.paths == ()


def test_overrides_win_and_extra_excludes_add_up(tmp_path: Path) -> None:
    overrides = {"indexing": {"exclude_extra": ["b"], "chunkSize": 512}, "docs": {"kind": "code"}}
    text = "group: g\nindexing: {exclude_extra: [a], exclude: [c]}\ndocs: {audience: x}\n"
    config = load(tmp_path, text, overrides).config
    assert config is not None
    assert config.exclude_extra == ("a", "b")
    assert (config.exclude, config.group) == (("c",), "g")
    assert (config.docs_kind, config.docs_audience) == ("code", "x")


def test_unknown_keys_are_told_apart_by_the_file_they_stand_in(tmp_path: Path) -> None:
    warnings = load(tmp_path, "grup: a", {"indexing": {"path": ["src"]}}).warnings
    assert [text.partition(": ")[0] for text in warnings] == [
        str(tmp_path / ".paparats.yml"),
        "projects.yml",
    ]
    assert "'grup'" in warnings[0]
    assert "'indexing.path'" in warnings[1]


def test_a_bad_key_is_named_in_the_error() -> None:
    with pytest.raises(BadRepoConfigError, match=r"metadata\.git\.enabled: 1 cannot be used"):
        parse_repo_config({"metadata": {"git": {"enabled": 1}}})


def test_yaml_has_the_json_types_only() -> None:
    text = "a: yes\nb: 2024-01-01\nc: 1\nd: 1.5\ne: null\nf: 012\ng: 1e3\nh: 0x1f\ni: ~\nj: on"
    assert load_plain_yaml(text) == {
        "a": "yes",
        "b": "2024-01-01",
        "c": 1,
        "d": 1.5,
        "e": None,
        "f": "012",
        "g": 1000.0,
        "h": "0x1f",
        "i": None,
        "j": "on",
    }


@pytest.mark.parametrize(
    "text", ["a\x00b", "a: 1\n---\nb: 2", "a: !!binary aGk=", "\t- x", "? [a]"]
)
def test_what_json_does_not_have_is_refused(text: str) -> None:
    with pytest.raises(PlainYamlError):
        load_plain_yaml(text)


@pytest.mark.parametrize(
    "value", ["yes", "1e3", "012", "2024-01-01", "~", "", "null", "a: b", "#x", "-1", "1.5", "ü\n"]
)
def test_a_text_is_read_back_as_the_same_text(value: str) -> None:
    shared = [value]
    assert load_plain_yaml(dump_plain_yaml({"a": shared, "b": shared})) == {
        "a": [value],
        "b": [value],
    }


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"indexing": {"bogus": 1}}, "ignored; indexing has batchSize, chunkSize, "),
        ({"indexing": {"exlude": []}}, "did you mean 'indexing.exclude'?"),
        ({"goup": "x"}, "did you mean 'group'?"),
        ({"zzz": 1}, "the key 'zzz' is unknown and ignored"),
    ],
)
def test_an_unknown_key_is_told_from_the_keys_beside_it(
    document: dict[str, object], said: str
) -> None:
    (sentence,) = unknown_keys(document)
    assert said in sentence
    assert "mean 'indexing'" not in sentence
