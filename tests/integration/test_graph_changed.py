"""What a change touches: real git, real texts, and a catalog that shows the work tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadQuery, GitFailed
from paparatsd.graph.asked import ChangedTexts, FileTexts
from paparatsd.graph_model import ChangedRequest, GraphScope
from paparatsd.model import ProjectName
from paparatsd.sources.changes import WorkTree, read_changes
from paparatsd.sources.repo import locate
from tests.harness.graph_asked import changed
from tests.harness.graph_world import GraphWorld
from tests.harness.repos import Repo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from paparatsd.graph_model import ChangedAnswer, ChangedSymbol
    from paparatsd.sources.changes import Changes

FILES = {
    "core/price.py": (
        "def price(item):\n    return item.cost * 2\n\n\n"
        "def discount(item, share, limit):\n"
        "    lowered = item.cost * share\n"
        "    return max(lowered, limit)\n"
    ),
    "core/cart.py": (
        "from core.price import discount, price\n\n\n"
        "def total(items):\n    return sum(price(item) for item in items)\n\n\n"
        "def best(items):\n    return min(discount(one, 0.5, 1) for one in items)\n"
    ),
    "tests/test_cart.py": (
        "from core.cart import total\n\n\ndef test_total():\n    assert total([])\n"
    ),
}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.create(tmp_path / "shop", FILES)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[GraphWorld]:
    (tmp_path / "state").mkdir()
    world = GraphWorld(tmp_path / "state")
    yield world
    world.close()


async def read(repo: Repo, against: str = "working") -> Changes:
    return await read_changes(await locate(repo.root), WorkTree(repo.root), against)


async def ask(
    world: GraphWorld, repo: Repo, against: str = "working", **more: Any
) -> ChangedAnswer:
    shown = {
        path: repo.read(path)
        for path in repo.git("ls-files", "-co", "--exclude-standard").split()
        if (repo.root / path).exists()
    }
    world.index("shop", shown)
    changes = await read(repo, against)
    texts = tuple(
        FileTexts(ProjectName("shop"), one.path, one.old, one.new) for one in changes.files
    )
    request = ChangedRequest(GraphScope(), against, **more)
    return changed(world.ground(), ChangedTexts(request, changes.against, texts, changes.total))


def told(answer: ChangedAnswer) -> dict[str, ChangedSymbol]:
    return {f"{one.change.value} {one.symbol.qualified}": one for one in answer.symbols}


async def test_a_clean_work_tree_has_changed_nothing(world: GraphWorld, repo: Repo) -> None:
    answer = await ask(world, repo)
    assert (answer.symbols, answer.files, answer.total) == ((), 0, 0)


async def test_what_was_edited_comes_with_callers_and_the_tests_behind_them(
    world: GraphWorld, repo: Repo
) -> None:
    repo.write("core/price.py", FILES["core/price.py"].replace("* 2", "* 3"))
    answer = await ask(world, repo)
    one = told(answer)["modified price"]
    assert one.lines == (2,)
    assert [edge.symbol.qualified for edge in one.callers] == ["total"]
    assert [test.qualified for test in one.tests] == ["test_total"]
    assert (answer.files, answer.against) == (1, "the work tree against HEAD")


async def test_what_is_gone_is_told_with_what_still_names_it(world: GraphWorld, repo: Repo) -> None:
    text = FILES["core/price.py"]
    repo.write("core/price.py", text[: text.index("def discount")])
    one = told(await ask(world, repo))["removed discount"]
    assert {edge.symbol.qualified for edge in one.callers} >= {"best"}
    assert "still names it" in one.callers[0].note


async def test_a_renamed_symbol_and_a_moved_one_say_what_they_were(
    world: GraphWorld, repo: Repo
) -> None:
    text = FILES["core/price.py"]
    at = text.index("def discount")
    repo.write("core/price.py", text[:at].replace("def price", "def cost"))
    repo.write("core/reduce.py", text[at:])
    found = told(await ask(world, repo))
    assert found["renamed discount"].before == "core/price.py#discount"
    assert found["renamed discount"].symbol.path == "core/reduce.py"
    assert found["renamed cost"].before == "price"
    assert {edge.symbol.qualified for edge in found["renamed cost"].callers} >= {"total"}


async def test_the_index_commits_and_ranges_are_compared_too(world: GraphWorld, repo: Repo) -> None:
    repo.write("core/price.py", FILES["core/price.py"].replace("* 2", "* 3"))
    repo.git("add", "core/price.py")
    repo.write("core/cart.py", FILES["core/cart.py"].replace("0.5", "0.6"))
    assert set(told(await ask(world, repo, "staged"))) == {"modified price"}
    first = repo.git("rev-parse", "HEAD").strip()
    second = repo.commit("both")
    repo.write("core/extra.py", "def extra_thing():\n    return 1\n")
    repo.commit("extra")
    assert set(told(await ask(world, repo, second))) == {"modified price", "modified best"}
    assert set(told(await ask(world, repo, "HEAD"))) == {"added extra_thing"}
    assert set(told(await ask(world, repo, f"{first}..HEAD"))) == {
        "modified price", "modified best", "added extra_thing",
    }  # fmt: skip
    assert set(told(await ask(world, repo, "HEAD~1..."))) == {"added extra_thing"}
    assert len((await ask(world, repo, first)).symbols) == 5, "the first commit adds everything"


@pytest.mark.parametrize("against", ["nonsense", "--output=x", "HEAD^{tree} x", "a..b..c"])
async def test_what_names_no_commit_is_refused(repo: Repo, against: str) -> None:
    with pytest.raises(BadQuery, match=r"is no commit|names no commit"):
        await read(repo, against)


async def test_a_folder_without_git_has_nothing_to_compare_with(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(GitFailed, match="no git work tree"):
        await read_changes(
            await locate(tmp_path / "plain"), WorkTree(tmp_path / "plain"), "working"
        )


async def test_part_of_a_repository_is_compared_by_its_own_paths(
    world: GraphWorld, repo: Repo
) -> None:
    repo.write("core/price.py", FILES["core/price.py"].replace("* 2", "* 3"))
    repo.write("tests/test_cart.py", "")
    core = repo.root / "core"
    for against in ("working", "HEAD"):
        changes = await read_changes(await locate(core), WorkTree(core), against)
        assert {one.path for one in changes.files} == (
            {"price.py"} if against == "working" else {"price.py", "cart.py"}
        )


async def test_secrets_links_and_line_ends_are_no_changes(repo: Repo) -> None:
    repo.write(".env", "TOKEN=1\n")
    (repo.root / "link.py").symlink_to("core/price.py")
    repo.write("core/cart.py", FILES["core/cart.py"].replace("\n", "\r\n"))
    assert (await read(repo)).files == ()


async def test_paths_of_the_scope_and_limits_hold(world: GraphWorld, repo: Repo) -> None:
    files = {f"core/m{at}.py": f"def function_{at}():\n    return {at}\n" for at in range(8)}
    repo.write_all(files)
    answer = await ask(world, repo, limit=3)
    assert (len(answer.symbols), answer.total, answer.files) == (3, 8, 8)
    with pytest.raises(BadQuery, match="limit is 9999"):
        await ask(world, repo, limit=9_999)


async def test_what_a_sparse_checkout_leaves_out_is_no_change(repo: Repo) -> None:
    repo.git("update-index", "--skip-worktree", "core/price.py")
    (repo.root / "core/price.py").unlink()
    assert (await read(repo)).files == ()


async def test_states_without_a_common_history_are_compared_only_directly(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD").strip()
    repo.git("checkout", "-q", "--orphan", "other")
    repo.git("rm", "-rfq", ".")
    repo.write("q.py", "def q():\n    pass\n")
    other = repo.commit("other")
    with pytest.raises(BadQuery, match="no common history"):
        await read(repo, f"{first}...{other}")
    changes = await read(repo, f"{first}..{other}")
    assert "q.py" in {one.path for one in changes.files}


@pytest.mark.parametrize(
    "against",
    ["--upload-pack=touch x", "-x", "HEAD..-x", "HEAD:core/cart.py", "\ud800", "HEAD~99999999999",
     "HEAD^{tree}", "0" * 40, "x" * 201, "...."],
)  # fmt: skip
async def test_hostile_revisions_are_refused(repo: Repo, against: str) -> None:
    with pytest.raises(BadQuery, match=r"is no commit|names no commit"):
        await read(repo, against)
