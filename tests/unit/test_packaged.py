from __future__ import annotations

import pytest

from paparatsd.packaged import SOURCE_TREE_PLACES, packaged


@pytest.mark.parametrize("kind", SOURCE_TREE_PLACES)
def test_every_kind_of_data_file_is_found_in_a_source_tree(kind: str) -> None:
    assert any(packaged(kind).iterdir())
