"""Train the table: a question's vector is to be nearer to its document's than to all others.

    train.py PREPARED OUT [--epochs 5] [--minutes 25] [--start OUT0]

In-batch softmax both ways with a learned temperature. A batch is made of groups of rows of one
package, half of them neighbours by directory, so that most wrong answers look like the right
one. Weights are saved as float16; quantise.py makes the model that ships.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from paparatsd.embeddings.tokenizer import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

DIMENSION = 256
BATCH, GROUP = 2048, 64
LEARNING_RATE = 8e-3
QUERY_WEIGHT_RATE = 4.0
FORWARD_SHARE = 0.7
TEMPERATURE, COLDEST = 0.05, 1 / 60
FULL, MASKED = 0.62, 0.26
"""Shares of the documents as embedded and with the name hidden; the rest are path and name."""
LONG = 0.35
PHRASED = 0.25
"""Shares of the questions in their long form, and with a phrase such as "how does ... work"."""
MASKED_KINDS = ("name",)
PLAIN_KINDS = ("doc", "comment", "file", "section")
WHOLE_FILE_KINDS = ("file", "path", "commit", "section")
Ragged = tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]


class Rows:
    """The arrays of prepare.py, and batches made of them."""

    def __init__(self, path: Path, seed: int) -> None:
        with np.load(path) as arrays:
            self.arrays = {name: arrays[name] for name in arrays.files}
        self.size = len(self.arrays["kind"])
        self.random = np.random.default_rng(seed)
        kind, names = self.arrays["kind"], self.arrays["kinds"]
        self.masked_only = np.isin(kind, np.flatnonzero(np.isin(names, MASKED_KINDS)))
        self.plain = np.isin(kind, np.flatnonzero(np.isin(names, PLAIN_KINDS)))
        cuts = np.cumsum(self.arrays["phrase_sizes"])[:-1]
        self.phrases = np.split(self.arrays["phrases"], cuts)
        self.whole_file = np.isin(kind, np.flatnonzero(np.isin(names, WHOLE_FILE_KINDS)))

    def lengths(self, form: str, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of pieces of each row in one form."""
        starts = self.arrays[f"{form}_starts"]
        return starts[rows + 1] - starts[rows]

    def gather(self, rows: NDArray[np.int64], forms: NDArray[np.int64], names: list[str]) -> Ragged:
        """Return ids, weights and offsets of each row in the form chosen for it."""
        sizes = np.zeros(len(rows), np.int64)
        for number, name in enumerate(names):
            chosen = forms == number
            sizes[chosen] = self.lengths(name, rows[chosen])
        offsets = np.cumsum(sizes) - sizes
        ids = np.zeros(sizes.sum(), np.int64)
        weights = np.zeros(sizes.sum(), np.float32)
        for number, name in enumerate(names):
            chosen = np.flatnonzero(forms == number)
            starts = self.arrays[f"{name}_starts"][rows[chosen]]
            size = sizes[chosen]
            steps = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
            source, target = (
                np.repeat(starts, size) + steps,
                np.repeat(offsets[chosen], size) + steps,
            )
            ids[target] = self.arrays[f"{name}_ids"][source]
            weights[target] = 1 + np.log(self.arrays[f"{name}_counts"][source].astype(np.float32))
        return ids, weights, offsets

    def questions(self, rows: NDArray[np.int64]) -> Ragged:
        """Return the questions of rows, some in their long form."""
        long = (self.random.random(len(rows)) < LONG) & (self.lengths("long", rows) > 0)
        bag = self.gather(rows, long.astype(np.int64), ["short", "long"])
        return self.phrased(bag, (self.random.random(len(rows)) < PHRASED) & self.plain[rows])

    def phrased(self, bag: Ragged, chosen: NDArray[np.bool_]) -> Ragged:
        """Add the words people ask with to the chosen questions: their weights are learnt too."""
        ids, weights, offsets = bag
        drawn = self.random.integers(0, len(self.phrases), len(offsets))
        added = [self.phrases[n] for n in drawn[chosen]]
        more = np.zeros(len(offsets), np.int64)
        more[chosen] = [len(phrase) for phrase in added]
        if not more.any():
            return bag
        places = np.repeat(np.append(offsets[1:], len(ids)), more)
        ids = np.insert(ids, places, np.concatenate(added))
        weights = np.insert(weights, places, np.float32(1))
        return ids, weights, offsets + np.cumsum(more) - more

    def documents(self, rows: NDArray[np.int64]) -> Ragged:
        """Return the documents of rows, each in a form drawn by the shares above."""
        luck = self.random.random(len(rows))
        forms = np.where(luck < FULL, 0, np.where(luck < FULL + MASKED, 1, 2))
        forms[self.masked_only[rows]] = 1
        forms[(forms == 2) & (self.lengths("head", rows) < 3)] = 0
        return self.gather(rows, forms, ["full", "masked", "head"])

    def batches(self) -> Iterator[NDArray[np.int64]]:
        """Yield one epoch: groups of a package by chance, or side by side in its files."""
        package, file = self.arrays["package"], self.arrays["source"]
        chance = self.random.permutation(self.size)
        near = chance[np.argsort(file[chance], kind="stable")]
        by_directory = self.random.random(package.max() + 1) < 0.5
        groups = []
        for order, side in ((chance, False), (near, True)):
            rows = order[by_directory[package[order]] == side]
            rows = rows[np.argsort(package[rows], kind="stable")]
            cuts = np.flatnonzero(np.diff(package[rows])) + 1
            for part in np.split(rows, cuts):
                groups += [part[n : n + GROUP] for n in range(0, len(part), GROUP)]
        self.random.shuffle(groups)  # type: ignore[arg-type]
        waiting, size = [], 0
        for group in groups:
            waiting.append(group)
            size += len(group)
            if size >= BATCH:
                yield np.concatenate(waiting)[:BATCH]
                waiting, size = [], 0

    def mistaken(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say which (row, other row) are no wrong answers: same question, or same file."""
        asked, file = self.arrays["question"][rows], self.arrays["source"][rows]
        whole = self.whole_file[rows]
        same = file[:, None] == file[None, :]
        excused = (asked[:, None] == asked[None, :]) | (same & (whole[:, None] | whole[None, :]))
        np.fill_diagonal(excused, val=False)
        return excused


class Table(torch.nn.Module):
    """The parameters: a row per piece, its weight in a question, and the temperature."""

    def __init__(self, start: NDArray[np.float32], asked: NDArray[np.float32]) -> None:
        super().__init__()
        self.rows = torch.nn.Parameter(torch.from_numpy(start))
        self.query_weight = torch.nn.Parameter(torch.log(torch.from_numpy(asked)))
        self.log_scale = torch.nn.Parameter(torch.tensor(math.log(1 / TEMPERATURE)))

    def embed(self, bag: Ragged, *, question: bool) -> torch.Tensor:
        """Return the vectors of texts, of length 1."""
        ids, weights, offsets = (torch.from_numpy(part) for part in bag)
        if question:
            weights = weights * torch.exp(self.query_weight)[ids]
        total = functional.embedding_bag(ids, self.rows, offsets, mode="sum",
                                         per_sample_weights=weights)  # fmt: skip
        return functional.normalize(total, dim=1)

    def loss(self, rows: Rows, batch: NDArray[np.int64]) -> tuple[torch.Tensor, float]:
        """Return the loss of a batch, and how many questions found their document first."""
        asked = self.embed(rows.questions(batch), question=True)
        found = self.embed(rows.documents(batch), question=False)
        scores = asked @ found.T * torch.exp(self.log_scale.clamp(max=math.log(1 / COLDEST)))
        scores = scores.masked_fill(torch.from_numpy(rows.mistaken(batch)), -1e4)
        right = torch.arange(len(batch))
        loss = FORWARD_SHARE * functional.cross_entropy(scores, right)
        loss = loss + (1 - FORWARD_SHARE) * functional.cross_entropy(scores.T, right)
        return loss, float((scores.detach().argmax(1) == right).float().mean())


def first_table(rows: Rows, entries: int) -> NDArray[np.float32]:
    """Return random directions, longer the rarer a piece is in documents."""
    direction = rows.random.standard_normal((entries, DIMENSION)).astype(np.float32)
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    seen = np.bincount(rows.arrays["full_ids"], minlength=entries)
    table: NDArray[np.float32] = direction * np.log(1 + rows.size / (1 + seen))[:, None] / 4
    return table.astype(np.float32)


def warm_table(
    first: NDArray[np.float32], entries: list[str], model: Path
) -> tuple[NDArray[np.float32], NDArray[np.float32], list[str]]:
    """Continue from a model: return rows, query weights, and all entries.

    An entry that the model lacks begins as what the model would make of it. Entries that only the
    model has come after ours and stay as they are: the space does not turn under them.
    """
    old_entries = (model / "vocab.txt").read_text().split("\n")
    with np.load(model / "model.npz") as arrays:
        old = arrays["q"].astype(np.float32) * arrays["s"].astype(np.float32)[:, None]
        weights = arrays["qw"].astype(np.float32)
    pieces, places = Vocabulary(old_entries), {entry: n for n, entry in enumerate(old_entries)}
    rows, asked = first * 0.3, np.ones(len(entries), np.float32)
    for number, entry in enumerate(entries):
        found = [places[entry]] if entry in places else pieces[entry.removeprefix("##")]
        if found:
            rows[number] = old[list(found)].sum(axis=0) / math.sqrt(len(found))
            asked[number] = weights[list(found)].mean()
    ours = set(entries)
    more = [n for n, entry in enumerate(old_entries) if entry not in ours]
    every = entries + [old_entries[n] for n in more]
    return np.concatenate([rows, old[more]]), np.concatenate([asked, weights[more]]), every


def train(rows: Rows, table: Table, epochs: float, minutes: float, peak: float) -> None:
    optimiser = torch.optim.Adam(
        [{"params": [table.rows], "rate": 1.0},
         {"params": [table.query_weight], "rate": QUERY_WEIGHT_RATE},
         {"params": [table.log_scale], "rate": 0.1}],
        lr=peak, betas=(0.9, 0.99),
    )  # fmt: skip
    total = int(epochs * rows.size / BATCH)
    started, step, mean_loss, mean_right = time.monotonic(), 0, 0.0, 0.0
    while True:
        for batch in rows.batches():
            passed = max(step / total, (time.monotonic() - started) / (60 * minutes))
            if passed >= 1:
                return
            rate = peak * min(1, (step + 1) / 50)
            rate *= 0.97 * 0.5 * (1 + math.cos(math.pi * passed)) + 0.03
            for group in optimiser.param_groups:
                group["lr"] = rate * group["rate"]
            loss, right = table.loss(rows, batch)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            step += 1
            keep = 0.95 if step > 1 else 0.0
            mean_loss = keep * mean_loss + (1 - keep) * float(loss.detach())
            mean_right = keep * mean_right + (1 - keep) * right
            if step % 50 == 0:
                scale = float(table.log_scale.detach().exp())
                passed_s = time.monotonic() - started
                state = f"loss {mean_loss:.3f} right {mean_right:.3f} scale {scale:.1f}"
                print(f"{step}/{total} {state} {passed_s:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prepared", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--epochs", type=float, default=5)
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--start", type=Path, help="a model to continue from")
    parser.add_argument("--rate", type=float, default=LEARNING_RATE)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    options: Any = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    rows = Rows(options.prepared / "bags.npz", options.seed)
    entries = (options.prepared / "vocab.txt").read_text().split("\n")
    start = first_table(rows, len(entries))
    asked = np.ones(len(entries), np.float32)
    if options.start:
        start, asked, entries = warm_table(start, entries, options.start)
    table = Table(start, asked)
    train(rows, table, options.epochs, options.minutes, options.rate)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "vocab.txt").write_text("\n".join(entries))
    half = np.float16
    np.savez(
        options.out / "weights.npz",
        rows=table.rows.detach().numpy().astype(half),
        query_weight=torch.exp(table.query_weight).detach().numpy().astype(half),
    )


if __name__ == "__main__":
    main()
