"""Turn trained weights into the model that ships: int8 rows with one scale each.

quantise.py TRAINED MODEL
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_BYTES = 20_000_000


def quantise(rows: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Return int8 rows and their scales; a row is what it was to about half a percent."""
    scales = (np.abs(rows).max(axis=1) / 127).astype(np.float16)
    # Half precision rounds small scales; the rows are divided by what will be multiplied.
    safe = np.maximum(scales.astype(np.float32), 1e-7)
    return np.clip(np.rint(rows / safe[:, None]), -127, 127).astype(np.int8), scales


def main(trained: Path, model: Path) -> None:
    with np.load(trained / "weights.npz") as arrays:
        rows, query_weight = arrays["rows"].astype(np.float32), arrays["query_weight"]
    table, scales = quantise(rows)
    model.mkdir(parents=True, exist_ok=True)
    np.savez(model / "model.npz", q=table, s=scales, qw=query_weight.astype(np.float16))
    shutil.copyfile(trained / "vocab.txt", model / "vocab.txt")
    size = sum((model / name).stat().st_size for name in ("model.npz", "vocab.txt"))
    print(f"{len(table)} entries x {table.shape[1]}, {size / 1e6:.1f} MB")
    assert size < LARGEST_BYTES, "too large for the wheel"


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
