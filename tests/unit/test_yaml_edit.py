from __future__ import annotations

import pytest

from paparatsd.plain_yaml import load_plain_yaml
from paparatsd.yaml_edit import append_item, remove_item

NEW = {"path": "/src/new", "name": "new"}

COMMENTED = """\
# mine
defaults: {group: team}  # for all
repos:
  # the shop
  - path: /src/shop  # main
    indexing:
      exclude_extra:
        - fixtures/
  # gone soon
  - path: /src/old
# the end
"""


def test_an_item_is_added_behind_the_last_and_every_line_stays() -> None:
    edited = append_item(COMMENTED, "repos", NEW)
    assert edited is not None
    before, after = COMMENTED.split("# the end\n")
    assert edited == f"{before}  - path: /src/new\n    name: new\n# the end\n{after}"


def test_an_item_is_removed_and_every_other_line_stays() -> None:
    edited = remove_item(COMMENTED, "repos", 0)
    assert edited is not None
    assert load_plain_yaml(edited)["repos"] == [{"path": "/src/old"}]
    for comment in ("# mine", "# for all", "# the shop", "# gone soon", "# the end"):
        assert comment in edited
    assert remove_item(COMMENTED, "repos", 2) is None


@pytest.mark.parametrize(
    "text",
    [
        "repos:\n- path: /a\n",
        "repos:\n- path: /a",
        "repos:\n- path: /a\n\n\n",
        "repos:\n    - path: /a\n      name: |\n        text\ndefaults:\n    hooks: false\n",
        "repos:\n- path: /a\n  indexing: {paths: [x,\n    y]}\n# end\ndefaults: {}\n",
        "repos:\n-\n  path: /a\n",
        "repos:\r\n- path: /a\r\n",
        '"repos":\n- path: "/a\n    b"\n',
        "---\nrepos:\n- path: /a\n...\n",
    ],
)
def test_an_added_item_is_read_back_whatever_the_layout(text: str) -> None:
    edited = append_item(text, "repos", NEW)
    assert edited is not None
    before = load_plain_yaml(text)
    assert load_plain_yaml(edited) == {**before, "repos": [*before["repos"], NEW]}


@pytest.mark.parametrize(
    "text", ["", "repos: []", "repos:", "repos: [{path: /a}]", "- a", "a: [", "other:\n- a"]
)
def test_what_has_no_list_in_block_form_is_left_to_the_caller(text: str) -> None:
    assert append_item(text, "repos", NEW) is None
    assert remove_item(text, "repos", 0) is None
