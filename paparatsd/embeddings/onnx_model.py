"""Models in the ONNX format from a folder: tokens in, one vector per text out.

Needs the packages `onnxruntime` and `tokenizers` (extra `onnx`). Runs in the model process.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from paparatsd.embeddings.embedder import hashed_direction
from paparatsd.embeddings.model_folder import (
    digest_of,
    has_more_layers,
    max_tokens_of,
    pooling_of,
    read_json,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from paparatsd.embeddings.embedder import FloatMatrix
    from paparatsd.embeddings.local_options import LocalOptions

CODE_VERSION = 1
"""Raise it when the same files would give other vectors than before."""
POOLED = ("sentence_embedding", "sentence_embeddings", "text_embedding", "embeddings")
"""Outputs that are a vector per text already."""
PER_TOKEN = ("last_hidden_state", "token_embeddings", "hidden_states")
TOKEN_INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """A loaded model. `output` is the name of what is read; `pooling` "" if that is pooled."""

    session: Any
    tokenizer: Any
    inputs: tuple[str, ...]
    output: str
    pooling: str
    pad: int
    dimension: int
    digest: str

    def encode(self, texts: Sequence[str]) -> FloatMatrix:
        """Return float32 [len(texts), dimension] as the model gives them; lengths are not 1."""
        encoded = self.tokenizer.encode_batch(list(texts))
        vectors = _run(self, [one.ids for one in encoded])
        for row, one in enumerate(encoded):
            if not one.ids:  # nothing of the text is known to the tokenizer
                vectors[row] = hashed_direction(texts[row], self.dimension)
        return vectors


def load(options: LocalOptions) -> OnnxModel:
    """Load the model that `options.model` names: a folder, or one .onnx file in it.

    Raises ValueError and OSError for what is no such model, ImportError without the packages.
    """
    runtime = importlib.import_module("onnxruntime")
    tokenizers = importlib.import_module("tokenizers")
    file, folder = find_model(Path(options.model))
    limit = options.max_tokens or max_tokens_of(folder)
    tokenizer = _tokenizer(tokenizers, folder / "tokenizer.json", limit)
    session = _session(runtime, file, options.threads)
    inputs = tuple(one.name for one in session.get_inputs())
    unknown = [name for name in inputs if name not in TOKEN_INPUTS]
    if unknown or "input_ids" not in inputs:
        raise ValueError(f"{file.name} asks for {', '.join(unknown or inputs)}, not for tokens")
    ranks = {one.name: len(one.shape or ()) for one in session.get_outputs()}
    output = choose_output(ranks)
    pooling = ""
    if ranks[output] == 3:
        pooling = _pooling(options, folder)
    weights = sorted(path for path in file.parent.glob(f"{file.name}*") if path.is_file())
    digest = digest_of([*weights, folder / "tokenizer.json"], CODE_VERSION, limit, pooling, output)
    model = OnnxModel(
        session, tokenizer, inputs, output, pooling, _pad_of(tokenizer, folder), 0, digest
    )
    # A graph may leave its sizes open, so it is tried.
    size = _run(model, [[model.pad]]).shape[1]
    return OnnxModel(session, tokenizer, inputs, output, pooling, model.pad, int(size), digest)


def find_model(chosen: Path) -> tuple[Path, Path]:
    """Return the .onnx file that is meant, and the folder of the model. Raises ValueError."""
    if chosen.suffix == ".onnx":
        folder = chosen.parent
        inside = folder.name == "onnx" and not (folder / "tokenizer.json").is_file()
        return chosen, folder.parent if inside else folder
    if not chosen.is_dir():
        raise ValueError(f"{chosen} is not a folder")
    for usual in (chosen / "model.onnx", chosen / "onnx" / "model.onnx"):
        if usual.is_file():
            return usual, chosen
    found = sorted([*chosen.glob("*.onnx"), *chosen.glob("onnx/*.onnx")])
    if len(found) != 1:
        names = ", ".join(str(path.relative_to(chosen)) for path in found) or "no .onnx file"
        raise ValueError(f"no model.onnx but {names}; name the file that is meant")
    return found[0], chosen


def choose_output(ranks: Mapping[str, int]) -> str:
    """Return which output of a graph to read: a vector per text, else one per token.

    `ranks` are the numbers of dimensions of the outputs, in order. A rank of 2 under another name
    may be what a classifier looks at, and counts only when there is nothing else. Raises
    ValueError.
    """
    wanted = [name for name in POOLED if ranks.get(name) == 2]
    wanted += [name for name in PER_TOKEN if ranks.get(name) == 3]
    wanted += [name for name, rank in ranks.items() if rank == 3]
    wanted += [name for name, rank in ranks.items() if rank == 2]
    if not wanted:
        raise ValueError("the model returns no vectors")
    return wanted[0]


def _pooling(options: LocalOptions, folder: Path) -> str:
    if has_more_layers(folder):
        raise ValueError(
            "the model has layers behind its pooling that the .onnx file has not; export it with "
            "an output sentence_embedding"
        )
    if options.pooling != "auto":
        return options.pooling
    return pooling_of(folder) or "mean"


def _session(runtime: Any, file: Path, threads: int) -> Any:  # noqa: ANN401 - an untyped module
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Waiting threads sleep: nobody embeds most of the time.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return runtime.InferenceSession(
            str(file), sess_options=options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise ValueError(f"{file.name} cannot be used ({str(error)[:200]})") from error


def _tokenizer(tokenizers: Any, path: Path, limit: int) -> Any:  # noqa: ANN401 - an untyped module
    text = path.read_text(encoding="utf-8")
    try:
        tokenizer = tokenizers.Tokenizer.from_str(text)
    except Exception as error:
        raise ValueError(f"tokenizer.json cannot be used ({str(error)[:100]})") from error
    tokenizer.enable_truncation(limit)
    return tokenizer


def _pad_of(tokenizer: Any, folder: Path) -> int:  # noqa: ANN401 - an untyped module
    """Return the token that fills up short texts; some graphs tell it from others by its number."""
    padding = tokenizer.padding or {}
    tokenizer.no_padding()
    said = padding.get("pad_id", read_json(folder / "config.json").get("pad_token_id"))
    return said if isinstance(said, int) and said >= 0 else 0


def _run(model: OnnxModel, rows: Sequence[Sequence[int]]) -> FloatMatrix:
    """Return the pooled vectors of some texts, given as tokens; zeros for one without any."""
    width = max(1, *(len(row) for row in rows))
    tokens = np.full((len(rows), width), model.pad, dtype=np.int64)
    mask = np.zeros((len(rows), width), dtype=np.int64)
    for number, row in enumerate(rows):
        tokens[number, : len(row)] = row
        mask[number, : len(row)] = 1
    feeds = {
        "input_ids": tokens,
        "attention_mask": mask,
        "token_type_ids": np.zeros_like(tokens),
        "position_ids": np.maximum(np.cumsum(mask, axis=1) - 1, 0),
    }
    given = {name: feeds[name] for name in model.inputs}
    try:
        found = model.session.run([model.output], given)[0]
    except Exception as error:
        raise ValueError(f"the model fails: {str(error)[:300]}") from error
    return pool(np.asarray(found, dtype=np.float32), mask, model.pooling)


def pool(found: NDArray[np.float32], mask: NDArray[np.int64], pooling: str) -> FloatMatrix:
    """Return float32 [n, dimension] of the vectors of tokens [n, tokens, dimension].

    `mask` [n, tokens] is 1 where there is a token; texts stand at the left. Without a pooling the
    vectors are those of texts already.
    """
    if not pooling:
        return found.copy()
    if pooling == "cls":
        return found[:, 0].copy()
    lengths = mask.sum(axis=1)
    if pooling == "last":
        chosen: FloatMatrix = found[np.arange(len(found)), np.maximum(lengths - 1, 0)]
        return chosen
    weights = mask.astype(np.float32)
    if pooling == "weightedmean":
        weights *= np.arange(1, mask.shape[1] + 1, dtype=np.float32)
    total = np.einsum("ntd,nt->nd", found, weights)
    mean: FloatMatrix = total / np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
    return mean
