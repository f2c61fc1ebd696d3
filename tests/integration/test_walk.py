from __future__ import annotations

import os
import random
import socket
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import PaparatsError
from paparatsd.model import Skip, TreeListing
from paparatsd.sources.repo import Checkout, locate
from paparatsd.sources.walk import SelectionRules, is_guidance, list_paths, list_tree
from tests.harness.repos import Repo

if TYPE_CHECKING:
    from collections.abc import Iterable

RULES = SelectionRules()
CODE = "x = 1\n"


def reasons(listing: TreeListing) -> dict[str, Skip]:
    return {skipped.path: skipped.reason for skipped in listing.skipped}


def everything(listing: TreeListing) -> set[str]:
    names = list(listing.files) + [skipped.path for skipped in listing.skipped]
    assert len(names) == len(set(names)), "a file is both indexed and skipped, or listed twice"
    return set(names)


def restrict(listing: TreeListing, wanted: Iterable[str]) -> tuple[dict, dict]:  # type: ignore[type-arg]
    tops = set(wanted)

    def inside(path: str) -> bool:
        bare = path.rstrip("/")
        return any(bare == top or bare.startswith(top + "/") for top in tops)

    files = {path: stat for path, stat in listing.files.items() if inside(path)}
    return files, {s.path: s for s in listing.skipped if inside(s.path)}


async def located(repo: Repo) -> Checkout:
    checkout = await locate(repo.root, environment=repo.environment)
    assert checkout.git, checkout.problem
    return checkout


def listed(repo: Repo) -> set[str]:
    """Return what git lists, with undecodable names as we show them."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"],
        cwd=repo.root,
        env=repo.environment,
        capture_output=True,
        check=True,
    )
    return {name.decode("utf-8", "backslashreplace") for name in done.stdout.split(b"\0") if name}


async def test_entries_are_those_of_git_with_a_reason_for_each_that_is_skipped(
    repo: Repo,
) -> None:
    for path in ("a.py", "gone.py", "was_file", "sub/b.py", ".env", "uv.lock", "x_pb2.py"):
        repo.write(path, CODE)
    repo.write("lib/app.min.js", CODE)
    repo.write("logo.png", b"\x89PNG")
    repo.write("big.txt", "word " * 300_000)
    repo.commit("change")
    (repo.root / "gone.py").unlink()
    (repo.root / "was_file").unlink()
    repo.write("was_file/now.py", CODE)
    (repo.root / "link.py").symlink_to("a.py")
    (repo.root / "out").symlink_to("/etc")
    listing = await list_tree(await located(repo), RULES)

    assert set(listing.files) == {"a.py", "sub/b.py", "was_file/now.py"}
    assert reasons(listing) == {
        "gone.py": Skip.DELETED,
        "was_file": Skip.DELETED,
        ".env": Skip.SECRET,
        "uv.lock": Skip.LOCK,
        "x_pb2.py": Skip.GENERATED,
        "lib/app.min.js": Skip.MINIFIED,
        "logo.png": Skip.BINARY,
        "big.txt": Skip.TOO_LARGE,
        "link.py": Skip.SYMLINK,
        "out": Skip.SYMLINK,
    }
    assert everything(listing) == listed(repo)
    assert listing.directories == {"", "sub", "lib", "was_file"}


async def test_stat_values_are_those_of_the_disk(repo: Repo) -> None:
    status = repo.write("a.py", CODE).lstat()
    found = (await list_tree(await located(repo), RULES)).files["a.py"]
    assert (found.size, found.mtime_ns, found.ctime_ns, found.inode) == (
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_ino,
    )


def details(listing: TreeListing) -> dict[str, str]:
    return {item.path: item.detail for item in listing.skipped}


async def test_submodules_and_nested_repositories_are_one_entry_each(
    repo: Repo, tmp_path: Path
) -> None:
    library = Repo.create(tmp_path / "library")
    library.write("inside.py", CODE)
    library.commit("change")
    always = ("-c", "protocol.file.allow=always")
    repo.git(*always, "submodule", "add", "-q", str(library.root), "vendor/library")
    repo.commit("change")
    nested = Repo.create(repo.root / "nested")
    nested.write("x.py", CODE)
    nested.commit("change")
    repo.git("worktree", "add", "-q", "--detach", "trees/one")
    checkout = await located(repo)

    listing = await list_tree(checkout, RULES)
    assert set(reasons(listing).values()) == {Skip.SUBMODULE}
    assert details(listing) == {
        "vendor/library": "submodule",
        "nested/": "nested repository",
        "trees/one/": "linked worktree",
    }
    assert everything(listing) == listed(repo)

    for path in ("nested", "nested/.git/HEAD", "vendor/library", "vendor"):
        part = await list_paths(checkout, RULES, [path])
        assert set(reasons(part).values()) == {Skip.SUBMODULE}, path
    for path in ("nested/x.py", "vendor/library/inside.py"):
        assert everything(await list_paths(checkout, RULES, [path])) == set(), path


async def test_own_ignore_files_count_at_any_level_and_even_when_git_ignores_them(
    repo: Repo,
) -> None:
    repo.write(".gitignore", ".paparatsignore\n")
    repo.write(".paparatsignore", "generated/\n*.sql\n!keep.sql\n")
    repo.write("sub/.codeindexignore", "private.py\n")
    for path in ("a.sql", "keep.sql", "generated/x.py", "sub/private.py", "private.py"):
        repo.write(path, CODE)
    checkout = await located(repo)
    listing = await list_tree(checkout, RULES)

    ignored = {path for path, reason in reasons(listing).items() if reason is Skip.IGNORED}
    assert ignored == {"a.sql", "generated/x.py", "sub/private.py"}
    assert {details(listing)[path] for path in ignored} == {".paparatsignore or .codeindexignore"}
    assert everything(listing) == listed(repo)
    assert "generated" not in listing.directories
    assert reasons(await list_paths(checkout, RULES, ["sub"])) == {"sub/private.py": Skip.IGNORED}


async def test_settings_exclude_and_restrict(repo: Repo) -> None:
    for path in ("src/a.py", "src/fixtures/b.py", "docs/c.md", "x/fixtures/d.py", "top.class"):
        repo.write(path, CODE)
    rules = SelectionRules(exclude=("fixtures", "*.class"), paths=("src", "x"))
    listing = await list_tree(await located(repo), rules)
    assert set(listing.files) == {"src/a.py"}
    assert set(reasons(listing).values()) == {Skip.IGNORED}
    assert details(listing) == {
        "src/fixtures/b.py": "indexing.exclude",
        "x/fixtures/d.py": "indexing.exclude",
        "top.class": "indexing.exclude",
        "docs/c.md": "outside indexing.paths",
    }
    assert everything(listing) == listed(repo)

    anchored = SelectionRules(exclude=("src/fixtures",))
    listing = await list_tree(await located(repo), anchored)
    assert "x/fixtures/d.py" in listing.files
    assert reasons(listing)["src/fixtures/b.py"] is Skip.IGNORED


async def test_guidance_counts_even_when_ignored_by_git_but_not_when_ignored_by_us(
    repo: Repo,
) -> None:
    repo.write(".gitignore", "CLAUDE.md\nAGENTS.md\n.cursor/\n.github/\nnode_modules/\n")
    repo.write(".paparatsignore", "quiet/AGENTS.md\n")
    wanted = {
        "CLAUDE.md",
        "docs/deep/CLAUDE.md",
        ".cursor/rules/style.mdc",
        ".github/copilot-instructions.md",
    }
    for path in (*wanted, "quiet/AGENTS.md", "node_modules/p/CLAUDE.md", ".cursor/cache.json"):
        repo.write(path, "be kind\n")
    checkout = await located(repo)
    listing = await list_tree(checkout, RULES)

    assert everything(listing) - listed(repo) == wanted | {"quiet/AGENTS.md"}
    assert reasons(listing) == {"quiet/AGENTS.md": Skip.IGNORED}
    for path in wanted:
        assert set((await list_paths(checkout, RULES, [path])).files) == {path}
    assert not (await list_paths(checkout, RULES, ["node_modules/p/CLAUDE.md"])).files


async def test_ignore_rules_of_the_user_and_of_the_repository_count(
    tmp_path: Path,
) -> None:
    home = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    repo = Repo(tmp_path / "repo", home)
    repo.root.mkdir()
    repo.git("init", "-q")
    ignores = tmp_path / ".config" / "git" / "ignore"
    ignores.parent.mkdir(parents=True)
    ignores.write_text("*.user\n")
    (repo.root / ".git" / "info" / "exclude").write_text("*.local\n")
    repo.write(".gitignore", "*.log\n!kept.log\n")
    for path in ("a.user", "b.local", "c.log", "kept.log", "tracked.log", "d.py"):
        repo.write(path, CODE)
    repo.git("add", "-f", "tracked.log")
    listing = await list_tree(await located(repo), RULES)
    assert everything(listing) == listed(repo)
    assert set(listing.files) == {".gitignore", "kept.log", "tracked.log", "d.py"}


async def test_a_project_may_be_a_part_of_a_work_tree(repo: Repo) -> None:
    repo.write(".gitignore", "*.tmp\n/ignored/\n")
    for path in ("top.py", "part/a.py", "part/b.tmp", "part/deep/c.py", "ignored/d.py"):
        repo.write(path, CODE)
    checkout = await locate(repo.root / "part", environment=repo.environment)
    assert checkout.prefix == "part"
    assert set((await list_tree(checkout, RULES)).files) == {"a.py", "deep/c.py"}
    assert set((await list_paths(checkout, RULES, ["deep"])).files) == {"deep/c.py"}

    ignored = await locate(repo.root / "ignored", environment=repo.environment)
    assert not ignored.git
    assert "ignored by the git repository" in ignored.problem
    assert set((await list_tree(ignored, RULES)).files) == {"d.py"}


async def test_sparse_checkout_unmerged_entries_and_odd_names(repo: Repo) -> None:
    odd = ["new\nline.py", "tab\there.py", 'quo"te.py', "-dash.py", ":(top)x.py", "*.py", "ü.py"]
    for name in (*odd, "in/a.py", "out/b.py"):
        repo.write(name, CODE)
    repo.commit("change")
    repo.git("checkout", "-q", "-b", "other")
    repo.write("in/a.py", "other = 1\n")
    repo.commit("change")
    repo.git("checkout", "-q", "main")
    repo.write("in/a.py", "main = 1\n")
    repo.commit("change")
    repo.git("merge", "other", check=False)
    repo.git("update-index", "--skip-worktree", "out/b.py")
    (repo.root / "out" / "b.py").unlink()
    raw = os.fsencode(repo.root) + b"/bad\xff.py"
    Path(os.fsdecode(raw)).write_bytes(b"x")
    checkout = await located(repo)
    listing = await list_tree(checkout, RULES)

    assert set(listing.files) == {*odd, "in/a.py"}
    assert [(s.path, s.reason) for s in listing.skipped] == [
        ("bad\\xff.py", Skip.UNDECODABLE),
        ("out/b.py", Skip.DELETED),
    ]
    assert listing.skipped[1].detail == "not in the sparse checkout"
    assert everything(listing) == listed(repo)
    for name in odd:
        assert set((await list_paths(checkout, RULES, [name])).files) == {name}


async def test_a_directory_replaced_by_a_link_is_not_followed(repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("canary")
    repo.write("sub/a.py", CODE)
    repo.commit("change")
    (repo.root / "sub" / "a.py").unlink()
    (repo.root / "sub").rmdir()
    (repo.root / "sub").symlink_to(outside)
    checkout = await located(repo)
    listing = await list_tree(checkout, RULES)
    assert not listing.files
    assert reasons(listing) == {"sub": Skip.SYMLINK, "sub/a.py": Skip.SYMLINK}
    assert everything(listing) == listed(repo)
    assert everything(await list_paths(checkout, RULES, ["sub/a.py"])) == {"sub/a.py"}


async def test_paths_outside_or_gone_do_not_appear(repo: Repo) -> None:
    repo.write("a.py", CODE)
    checkout = await located(repo)
    odd = ["../x", "/etc/passwd", "no/such", ".git/config", "", "nul\0"]
    assert not everything(await list_paths(checkout, RULES, odd[:-2]))
    assert everything(await list_paths(checkout, RULES, odd)) == {"a.py"}


async def test_a_root_that_is_gone_is_an_error_and_never_an_empty_project(repo: Repo) -> None:
    repo.write("a.py", CODE)
    checkout = await located(repo)
    repo.root.rename(repo.root.with_name("moved"))
    with pytest.raises(PaparatsError):
        await list_tree(checkout, RULES)


async def test_plain_folder_follows_gitignore_and_leaves_out_caches(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    texts = {
        ".gitignore": "*.log\nout/\n!out/x\nCLAUDE.md\n",
        "a.py": "",
        "x.log": "",
        "out/x": "",
        "CLAUDE.md": "",
        "sub/.gitignore": "!*.log\nsecret-ish.py\n",
        "sub/y.log": "",
        "sub/secret-ish.py": "",
        "node_modules/p/index.js": "",
        "env/pyvenv.cfg": "",
        "env/lib.py": "",
        "rust/Cargo.toml": "",
        "rust/target/debug.rs": "",
        "words/target/kept.py": "",
        "nested/.git/HEAD": "",
        "nested/z.py": "",
        ".env": "",
    }
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    os.mkfifo(root / "pipe.py")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(root / "sock.py"))
    (root / "loop").symlink_to(".")
    checkout = await locate(root, environment={"PATH": os.environ["PATH"], "HOME": str(tmp_path)})
    assert not checkout.git
    assert checkout.problem == ""
    listing = await list_tree(checkout, RULES)

    assert set(listing.files) == {
        ".gitignore",
        "a.py",
        "CLAUDE.md",
        "sub/.gitignore",
        "sub/y.log",
        "rust/Cargo.toml",
        "words/target/kept.py",
    }
    assert reasons(listing) == {
        ".env": Skip.SECRET,
        "loop": Skip.SYMLINK,
        "nested/": Skip.SUBMODULE,
        "pipe.py": Skip.SPECIAL,
        "sock.py": Skip.SPECIAL,
    }
    for path in (*texts, "sub", "nested", "rust", "node_modules", "loop", "pipe.py", "none"):
        part = await list_paths(checkout, RULES, [path])
        assert restrict(listing, [path]) == restrict(part, [path]), path
        assert everything(part) == everything(part) & everything(listing), path


def test_guidance_is_recognised_by_name_and_place() -> None:
    yes = ("AGENTS.md", "a/b/CLAUDE.md", "claude.local.md", ".cursorrules", "x/.cursor/rules/a.mdc")
    no = ("README.md", "agents.py", ".cursor/mcp.json", "rules/a.md", ".claude/worktrees/a/b.md")
    assert all(is_guidance(path) for path in yes)
    assert not any(is_guidance(path) for path in no)


NAMES = ("a", "b", "c.py", "d.log", "Ü", "sp ace", "#x", "!y", "[z]", "AGENTS.md", "e.py", "w\\")
PATTERNS = (
    "*.log", "!d.log", "a/", "/b", "b/c.py", "**/e.py", "!a/", "!*/", "*", "!*.py", "\\#x", "\\!y",
    "\\[z\\]", "sp ace", "sp\\ ace", "trail\\ ", "a/**", "**/b/", "AGENTS.md", "!AGENTS.md", "[ab]",
    "# comment", "", "x[", "Ü", "a/*/c.py", "!a/b", "c.p?",
)  # fmt: skip


def grow(seed: int, repo: Repo) -> None:
    """Make a tree with rules, tracked and untracked files, links and nested repositories."""
    rng = random.Random(seed)  # noqa: S311 - a repeatable tree, not a secret
    directories = [""]
    for _ in range(10):
        directory = f"{rng.choice(directories)}/{rng.choice(NAMES)}".strip("/")
        if (repo.root / directory).exists():
            continue
        (repo.root / directory).mkdir(parents=True)
        directories.append(directory)
    for _ in range(30):
        path = repo.root / rng.choice(directories) / rng.choice(NAMES)
        if not os.path.lexists(path):
            path.write_text(CODE)
    for directory in rng.sample(directories, k=min(4, len(directories))):
        lines = rng.sample(PATTERNS, k=rng.randint(1, 5))
        repo.write(f"{directory}/.gitignore", "\n".join(lines) + "\n")
    (repo.root / ".git/info/exclude").write_text(rng.choice(PATTERNS) + "\n")
    some = [path for path in repo.root.rglob("*") if path.is_file() and ".git" not in path.parts]
    for path in rng.sample(some, k=len(some) // 3):
        repo.git("--literal-pathspecs", "add", "-f", "--", str(path.relative_to(repo.root)))
    for path in rng.sample(some, k=3):
        path.unlink()
    link = repo.root / "link"
    link.symlink_to(rng.choice(directories) or ".")
    nested = Repo.create(repo.root / rng.choice(directories) / "nested")
    nested.write("n.py", CODE)
    nested.commit("change")


@pytest.mark.parametrize("seed", range(8))
async def test_any_tree_is_accounted_for_and_its_parts_agree_with_the_whole(
    seed: int, repo: Repo
) -> None:
    grow(seed, repo)
    checkout = await located(repo)
    whole = await list_tree(checkout, RULES)
    entries = everything(whole)
    assert entries >= listed(repo)
    assert all(is_guidance(path) for path in entries - listed(repo))

    on_disk = [p.relative_to(repo.root).as_posix() for p in repo.root.rglob("*")]
    own = {path for path in on_disk if path.split("/")[0] != ".git"}
    every = own | {path.rstrip("/") for path in entries}
    part = await list_paths(checkout, RULES, every)
    assert (part.files, part.skipped and set(part.skipped)) == (
        whole.files,
        whole.skipped and set(whole.skipped),
    )
    rng = random.Random(seed)  # noqa: S311 - a repeatable choice, not a secret
    for path in rng.sample(sorted(every), k=min(6, len(every))):
        clean = f"{path}/".partition("/.git/")[0].rstrip("/")
        part = await list_paths(checkout, RULES, [path])
        files, skipped = restrict(whole, [clean])
        assert (part.files, {s.path: s for s in part.skipped}) == (files, skipped), path


@pytest.mark.parametrize("seed", range(100, 106))
async def test_a_plain_folder_lists_what_git_would(seed: int, tmp_path: Path, repo: Repo) -> None:
    grow(seed, repo)
    (repo.root / ".git/info/exclude").unlink()
    repo.git("rm", "-r", "-q", "--cached", ".")
    expected = listed(repo) | {
        path
        for path in everything(await list_tree(await located(repo), RULES))
        if is_guidance(path)
    }
    (repo.root / ".git").rename(tmp_path / "elsewhere")
    checkout = await locate(repo.root, environment=repo.environment)
    assert not checkout.git
    assert everything(await list_tree(checkout, RULES)) == expected
