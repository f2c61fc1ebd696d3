"""What an edit costs at an embedding endpoint, and that nothing old is lost by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.harness import oracle
from tests.harness.daemon import running_daemon
from tests.harness.fake_embedder import FakeEmbedder
from tests.harness.repos import Repo

if TYPE_CHECKING:
    from pathlib import Path

DIMENSION = 16
ANIMALS = ("marmot", "ibex", "lynx", "stoat", "weasel", "otter")


def function(animal: str) -> str:
    """Return a function that is a chunk of its own."""
    steps = (f"{animal}_step_{number} = climb_{animal}({number})" for number in range(40))
    body = "".join(f"    {step}\n" for step in steps)
    return f"def follow_{animal}():\n{body}    return {animal}_step_0\n\n\n"


async def test_an_inserted_function_is_embedded_alone_and_a_restored_file_not_at_all(
    tmp_path: Path,
) -> None:
    text = "".join(map(function, ANIMALS))
    repo = Repo.create(tmp_path / "alps", {"trails.py": text, "lake.py": function("heron")})
    async with FakeEmbedder.serving(DIMENSION) as server:
        options = {
            "PAPARATS_EMBEDDER_PROVIDER": "openai",
            "PAPARATS_EMBEDDER_URL": server.url,
            "PAPARATS_EMBEDDER_MODEL": "fake",
            "PAPARATS_EMBEDDER_DIMENSION": str(DIMENSION),
        }
        async with running_daemon(options) as daemon:
            await daemon.add(repo.root, name="alps")
            await daemon.settle("alps")
            await daemon.wait_ready("alps")

            def embedded() -> list[str]:
                texts = [one for texts in server.texts for one in texts]
                return [one for one in texts if "def follow_" in one or "_step_" in one]

            before = len(embedded())
            repo.write("trails.py", function("eagle") + text)
            await daemon.settle("alps")
            await daemon.wait_ready("alps")
            new = embedded()[before:]
            assert new
            assert all("eagle" in one and "marmot_step" not in one for one in new)
            shift = function("eagle").count("\n")
            for number, animal in enumerate(ANIMALS):
                hit = (await daemon.search(f"follow_{animal}"))[0]
                assert hit["symbol"] == f"follow_{animal}"
                assert hit["start_line"] == 1 + shift + number * shift

            lake, before = repo.read("lake.py"), len(embedded())
            repo.remove("lake.py")
            await daemon.settle("alps")
            assert "lake.py" not in await daemon.paths("follow_heron")
            repo.write("lake.py", lake)
            await daemon.settle("alps")
            await daemon.wait_ready("alps")
            assert (await daemon.paths("follow_heron"))[0] == "lake.py"
            assert len(embedded()) == before
            await oracle.assert_equal(daemon, "alps")
