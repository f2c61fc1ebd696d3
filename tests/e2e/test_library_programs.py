"""Programs that index a folder: the example of the README, and how programs end."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path

from tests.harness.processes import is_ours, run_script
from tests.harness.repos import Repo

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "src/cart.py": '"""Carts."""\n\n\ndef apply_discount(price: float) -> float:\n'
    '    """Take a discount off a price."""\n    return price * 0.9\n\n\n'
    "def total(items: list[float]) -> float:\n    return sum(map(apply_discount, items))\n",
    "src/mail.py": "def send_letter(address: str) -> None:\n    print(address)\n",
}


def test_the_example_of_the_readme_works(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## As a library\n")[1]
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    repo = Repo.create(tmp_path / "shop", FILES)
    state = str(tmp_path / "state")
    code = code.replace('"/home/me/src/shop"', f"{str(repo.root)!r}, state_dir={state!r}")
    printed = io.StringIO()

    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - what readers are told to run

    lines = printed.getvalue().splitlines()
    assert lines[0].startswith("shop:src/cart.py#")
    assert "shop:src/cart.py#total" in printed.getvalue()


UNHANDLED = """
import json, os, pathlib
import paparatsd
index = paparatsd.open_index({folder!r}, state_dir={state!r})
children = set()
for path in pathlib.Path("/proc/self/task").glob("*/children"):
    children |= set(map(int, path.read_text().split()))
print(json.dumps([sorted(children), index.search("discount").hits[0].address]), flush=True)
raise KeyError("of the program")
"""
INTERRUPTED = """
import os, pathlib, signal, threading
import paparatsd
state = pathlib.Path({state!r})
def interrupt():
    while not (state / "state" / "catalog.sqlite3").exists():
        pass
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
try:
    paparatsd.open_index({folder!r}, state_dir=state)
    threading.Event().wait(20)
except KeyboardInterrupt:
    print("interrupted", flush=True)
with paparatsd.open_index({folder!r}, state_dir=state) as index:
    print(index.search("discount").hits[0].address)
"""


GIVEN_UP = """
import pathlib
import paparatsd
for timeout_s in (0.001, 0.3):
    try:
        paparatsd.open_index({folder!r}, state_dir={state!r}, timeout_s=timeout_s)
    except paparatsd.PaparatsError as error:
        print(error)
    for path in pathlib.Path("/proc/self/task").glob("*/children"):
        for pid in path.read_text().split():
            print("left", pathlib.Path("/proc", pid, "cmdline").read_text())
"""


def test_a_first_index_that_takes_too_long_is_given_up_and_leaves_nothing(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "shop", FILES)
    done = run_script(GIVEN_UP.format(folder=str(repo.root), state=str(tmp_path / "state")))
    assert done.stderr == ""
    assert done.stdout.splitlines()[0] == "the index did not answer within 0.001 s"
    assert "left" not in done.stdout


def test_an_error_of_the_program_leaves_no_process_behind(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "shop", FILES)
    done = run_script(UNHANDLED.format(folder=str(repo.root), state=str(tmp_path / "state")))

    children, address = json.loads(done.stdout)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "KeyError: 'of the program'"
    assert len(done.stderr.splitlines()) == 3, "nothing but the trace of the program"
    assert address.startswith("shop:src/cart.py")
    assert len(children) >= 2
    assert not any(is_ours(pid) for pid in children)


def test_an_interrupt_while_it_opens_gives_the_directory_up(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "shop", FILES)
    done = run_script(INTERRUPTED.format(folder=str(repo.root), state=str(tmp_path / "state")))
    assert done.stderr == ""
    assert done.stdout.splitlines()[0] == "interrupted"
    assert done.stdout.splitlines()[1].startswith("shop:src/cart.py")
