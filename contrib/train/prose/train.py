"""Train a table to say of a text what the teacher says of it.

    train.py TEXTS.pkl TAUGHT.npz VOCABULARY OUT [--minutes 6] [--dimension 256]

Needs torch. Rows begin as the teacher's vectors of the entries, frequent ones made small
(Model2Vec, Minish Lab 2024). Then a text's vector is to point where the teacher's does, whose
principal directions are kept ("tokenlearn"); and of the sections of a batch a short text is to be
near to the same ones as by the teacher: the divergence of the two softmaxes, a batch being made of
groups of one repository each. OUT is what `../embedder/quantise.py` takes.
"""

from __future__ import annotations

import argparse
import math
import pickle
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional

from paparatsd.embeddings.tokenizer import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

BATCH, GROUP, OTHERS = 1024, 64, 256
RATE, WEIGHT_RATE, SCALE_RATE = 2e-3, 3.0, 0.3
WARM, LEAST = 30, 0.03
"""Steps until the full rate, and the share of it at the end."""
POINTING, NEAR = 1.0, 0.5
OTHERS_SHARE = 0.3
SHARPNESS = 0.05
"""The temperature of the teacher's softmax."""
DROPPED = 0.1
"""Share of a section's pieces that are left out: what is left is to say it too."""
FREQUENT = 0.03
"""An entry that stands in this share of texts counts half at first."""
BLEND = 0.5
SEED = 0


class Bags:
    """Texts as pieces of a vocabulary with their weights."""

    def __init__(self, texts: Sequence[str], entries: Sequence[str]) -> None:
        vocabulary = Vocabulary(entries)
        counts = [vocabulary.count(text) for text in texts]
        self.starts = np.cumsum([0, *map(len, counts)])
        self.ids = np.array([one for count in counts for one in count], np.int64)
        numbers = [one for count in counts for one in count.values()]
        self.weights = 1 + np.log(np.array(numbers, np.float32))

    def take(self, rows: NDArray[np.int64]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return ids, weights and offsets of some texts."""
        sizes = self.starts[rows + 1] - self.starts[rows]
        offsets = np.cumsum(sizes) - sizes
        at = np.repeat(self.starts[rows] - offsets, sizes) + np.arange(sizes.sum())
        ids, weights = self.ids[at], self.weights[at]
        return torch.from_numpy(ids), torch.from_numpy(weights), torch.from_numpy(offsets)


class Table(torch.nn.Module):
    """The parameters: a row per entry, its weight in short texts, and the temperature."""

    def __init__(self, rows: NDArray[np.float32]) -> None:
        super().__init__()
        self.rows = torch.nn.Parameter(torch.from_numpy(rows))
        self.query_weight = torch.nn.Parameter(torch.zeros(len(rows)))
        self.log_scale = torch.nn.Parameter(torch.tensor(math.log(1 / SHARPNESS)))

    def embed(self, bags: Bags, rows: NDArray[np.int64], *, short: bool) -> torch.Tensor:
        """Return the vectors of texts, of length 1."""
        ids, weights, offsets = bags.take(rows)
        if short:
            weights = weights * torch.exp(self.query_weight[ids])
        else:
            weights = weights * (torch.rand(len(weights)) > DROPPED)
        total = functional.embedding_bag(
            ids, self.rows, offsets, mode="sum", per_sample_weights=weights
        )
        return functional.normalize(total, dim=1)

    def optimiser(self) -> torch.optim.Adam:
        """Return what trains it; each group has its rate as `rate`."""
        groups = [
            {"params": [self.rows], "rate": RATE},
            {"params": [self.query_weight], "rate": RATE * WEIGHT_RATE},
            {"params": [self.log_scale], "rate": RATE * SCALE_RATE},
        ]
        return torch.optim.Adam(groups, lr=RATE, betas=(0.9, 0.99))


def targets(taught: NDArray[np.float32], dimension: int) -> tuple[torch.Tensor, NDArray[Any]]:
    """Return what the teacher says in its principal directions, without the mean; and those."""
    rows = taught - taught.mean(axis=0)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    directions = np.linalg.svd(rows.T @ rows)[0][:, :dimension]
    rows = rows @ directions
    return torch.from_numpy(rows / np.linalg.norm(rows, axis=1, keepdims=True)), directions


def batches(pairs: Sequence[tuple[int, int, str]], chance: Any) -> Iterator[NDArray[np.int64]]:  # noqa: ANN401 - a generator of numpy
    """Yield pairs by number, again and again: groups of one repository each."""
    names = np.array([name for _, _, name in pairs])
    owned = [np.flatnonzero(names == name) for name in np.unique(names)]
    groups: list[NDArray[np.int64]] = []
    while True:
        while len(groups) < BATCH // GROUP:
            drawn = [chance.permutation(one) for one in owned]
            new = [one[at : at + GROUP] for one in drawn for at in range(0, len(one), GROUP)]
            groups += [new[at] for at in chance.permutation(len(new))]
        yield np.concatenate([groups.pop() for _ in range(BATCH // GROUP)])


def loss_of(
    table: Table, bags: Bags, aims: torch.Tensor, short: NDArray[Any], section: NDArray[Any],
    others: NDArray[Any],
) -> torch.Tensor:  # fmt: skip
    """Return the loss of a batch of pairs and of texts that belong to no section."""
    asked = table.embed(bags, np.concatenate([short, others]), short=True)
    found = table.embed(bags, section, short=False)
    away = 1 - (asked * aims[np.concatenate([short, others])]).sum(1)
    pointing = away[: len(short)].mean() + OTHERS_SHARE * away[len(short) :].mean()
    pointing = pointing + (1 - (found * aims[section]).sum(1)).mean()
    twice = section[:, None] == section[None, :]
    np.fill_diagonal(twice, val=False)
    same = torch.from_numpy(twice)
    said = (asked[: len(short)] @ found.T * torch.exp(table.log_scale)).masked_fill(same, -30.0)
    right = (aims[short] @ aims[section].T / SHARPNESS).masked_fill(same, -30.0)
    near = functional.kl_div(
        functional.log_softmax(said, 1), functional.softmax(right, 1), reduction="batchmean"
    )
    return POINTING * pointing + NEAR * near


def train(
    table: Table, bags: Bags, aims: torch.Tensor, content: dict[str, Any], minutes: float
) -> int:
    """Train for some minutes; return the number of steps."""
    chance = np.random.default_rng(SEED)
    pairs = np.array([(short, section) for short, section, _ in content["pairs"]])
    questions = np.array(content["questions"])
    optimiser = table.optimiser()
    begun = time.monotonic()
    for step, batch in enumerate(batches(content["pairs"], chance)):
        gone = (time.monotonic() - begun) / 60 / minutes
        if gone >= 1:
            return step
        share = min(1.0, step / WARM) * max(LEAST, 1 - gone)
        for group in optimiser.param_groups:
            group["lr"] = group["rate"] * share
        short, section = pairs[batch].T
        others = chance.choice(questions, OTHERS)
        loss = loss_of(table, bags, aims, short, section, others)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 100 == 0:
            print(step, round(loss.item(), 4), f"{gone:.0%}", flush=True)
    return 0


def blended(table: Table, start: NDArray[np.float32]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return rows and weights in short texts, half way back to the beginning.

    The rows at the beginning are made as long as these. What has learnt which texts belong together
    orders better, what has not tells better whether any of them does.
    """
    rows = table.rows.detach().numpy()
    start = start * np.linalg.norm(rows) / np.linalg.norm(start)
    asked = np.exp(table.query_weight.detach().numpy() * (1 - BLEND))
    return (1 - BLEND) * rows + BLEND * start, asked


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name in ("texts", "taught", "vocabulary", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--minutes", type=float, default=6.0)
    parser.add_argument("--dimension", type=int, default=256)
    arguments = parser.parse_args()
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    content = pickle.loads(arguments.texts.read_bytes())
    entries = arguments.vocabulary.read_text().split("\n")
    with np.load(arguments.taught) as arrays:
        taught, known = (arrays[name].astype(np.float32) for name in ("texts", "entries"))
    bags = Bags(content["texts"], entries)
    aims, directions = targets(taught, arguments.dimension)
    often = (np.bincount(bags.ids, minlength=len(entries)) + 1) / len(content["texts"])
    start = (known - known.mean(axis=0)) @ directions * (FREQUENT / (FREQUENT + often))[:, None]
    table = Table(start.astype(np.float32))
    print(train(table, bags, aims, content, arguments.minutes), "steps")
    arguments.out.mkdir(parents=True, exist_ok=True)
    rows, asked = blended(table, start)
    np.savez(arguments.out / "weights.npz", rows=rows, query_weight=asked)
    shutil.copyfile(arguments.vocabulary, arguments.out / "vocab.txt")


if __name__ == "__main__":
    main()
