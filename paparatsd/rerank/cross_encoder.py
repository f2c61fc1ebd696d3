"""A cross-encoder in ONNX form from a folder: nothing is downloaded, nothing leaves the process.

It reads question and text together and says how well they fit. Needs the packages onnxruntime and
tokenizers (extra `onnx`). The folder is as sentence-transformers and optimum export it.
"""

from __future__ import annotations

import importlib
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import numpy as np

from paparatsd.endpoints.posting import Sent
from paparatsd.errors import BadReply, BadSettings, Unavailable
from paparatsd.rerank.scores import RerankerSpec
from paparatsd.user_paths import expanded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

MODEL_FILES = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
MAX_TOKENS = 512
"""Of question and text together; the text is cut, as these models were trained."""
SLICE_TEXTS = 8
"""Pairs scored in one go; between two of them the deadline is looked at."""
MOST_THREADS = 4


@dataclass(frozen=True, slots=True)
class PairModel:
    """A loaded model: a tokenizer of pairs, and a session with the names of its inputs.

    For one thread at a time.
    """

    tokenizer: Any
    session: Any
    inputs: frozenset[str]

    def scores(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """Return the chance of each text to fit, from 0 to 1; raises BadReply for NaN."""
        encoded = self.tokenizer.encode_batch([(query, text) for text in texts])
        columns = {
            "input_ids": [one.ids for one in encoded],
            "attention_mask": [one.attention_mask for one in encoded],
            "token_type_ids": [one.type_ids for one in encoded],
        }
        feeds = {
            name: np.array(rows, np.int64) for name, rows in columns.items() if name in self.inputs
        }
        chances = chances_of(np.asarray(self.session.run(None, feeds)[0], np.float64), len(texts))
        if not np.isfinite(chances).all():
            raise BadReply("the local reranker computed something that is no number")
        return tuple(chances.tolist())


def chances_of(logits: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return chances from what a model says of each pair: one number, or one for no and for yes.

    Raises BadReply for anything else.
    """
    if logits.size == count:
        single: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.clip(logits.reshape(count), -50, 50)))
        return single
    if logits.shape == (count, 2):
        return chances_of(logits[:, 1] - logits[:, 0], count)
    raise BadReply(
        f"the local reranker answers numbers of shape {logits.shape} for {count} texts; it is no "
        "cross-encoder that tells fitting from not fitting"
    )


def load_pair_model(
    path: str, import_module: Callable[[str], Any] = importlib.import_module
) -> PairModel:
    """Load the model in a folder; takes a moment.

    Raises BadSettings when there is none, or when the extra is not installed.
    """
    folder = expanded(path)
    if not folder.is_absolute():
        raise BadSettings(f"rerank.model: {path!r} must be an absolute path")
    try:
        runtime, tokenizers = import_module("onnxruntime"), import_module("tokenizers")
    except ImportError:
        raise BadSettings(
            "rerank.provider is onnx but onnxruntime or tokenizers is not installed; run: "
            "pip install 'paparatsd[onnx]'"
        ) from None
    file = next((folder / name for name in MODEL_FILES if (folder / name).is_file()), None)
    if file is None:
        raise BadSettings(f"rerank.model: {folder} has no model.onnx")
    try:
        session = _session(runtime, file)
        tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:
        raise BadSettings(f"rerank.model: {folder} cannot be loaded: {str(error)[:200]}") from error
    tokenizer.enable_truncation(_max_tokens(folder), strategy="only_second")
    tokenizer.enable_padding(**_padding(folder, tokenizer))
    inputs = frozenset(one.name for one in session.get_inputs())
    if "input_ids" not in inputs:
        raise BadSettings(f"rerank.model: {file} takes {sorted(inputs)}, not input_ids")
    return PairModel(tokenizer, session, inputs)


def _session(runtime: Any, file: Path) -> Any:  # noqa: ANN401 - an untyped module
    options = runtime.SessionOptions()
    options.intra_op_num_threads = max(1, min(MOST_THREADS, (os.cpu_count() or 2) // 2))
    options.inter_op_num_threads = 1
    return runtime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def _max_tokens(folder: Path) -> int:
    said = _json(folder / "tokenizer_config.json").get("model_max_length")
    return min(MAX_TOKENS, int(said)) if isinstance(said, int | float) and said >= 8 else MAX_TOKENS


def _padding(folder: Path, tokenizer: Any) -> dict[str, Any]:  # noqa: ANN401 - an untyped module
    """Return how texts of one slice are made equally long."""
    token = _json(folder / "tokenizer_config.json").get("pad_token", "[PAD]")
    token = token if isinstance(token, str) else "[PAD]"
    number = tokenizer.token_to_id(token)
    return {} if number is None else {"pad_id": number, "pad_token": token}


def _json(path: Path) -> Mapping[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


class CrossEncoder:
    """Scores texts by a model from a folder, in threads, one slice at a time."""

    sent = Sent()

    def __init__(self, model: PairModel, name: str, max_chars: int) -> None:
        """`name` is what answers call it, `max_chars` how much of a text it is shown."""
        self.spec = RerankerSpec("onnx", name)
        self._model = model
        self._max_chars = max_chars
        self._limiter = anyio.CapacityLimiter(1)

    async def close(self) -> None:
        """Close nothing."""

    async def scores(
        self, query: str, texts: Sequence[str], deadline_s: float
    ) -> tuple[float, ...]:
        """Return the chance of each text to fit. Raises Unavailable at the deadline."""
        values: list[float] = []
        try:
            with anyio.fail_after(deadline_s):
                for start in range(0, len(texts), SLICE_TEXTS):
                    part = [text[: self._max_chars] for text in texts[start : start + SLICE_TEXTS]]
                    values += await anyio.to_thread.run_sync(
                        self._model.scores,
                        query,
                        part,
                        limiter=self._limiter,
                        abandon_on_cancel=True,
                    )
        except TimeoutError:
            raise Unavailable(
                f"the local reranker scored {len(values)} of {len(texts)} texts within "
                f"{deadline_s:g} s; set rerank.candidates lower or rerank.timeout_s higher"
            ) from None
        return tuple(values)
