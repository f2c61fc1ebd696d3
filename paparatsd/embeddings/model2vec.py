"""Static embedding models from a folder, in the format of model2vec and sentence-transformers.

A text's vector is the mean of the rows of its tokens, scaled to length 1. Needs the package
`tokenizers` (extra `model2vec`); nothing is downloaded and nothing leaves the process.
https://github.com/MinishLab/model2vec describes the method and the files.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import numpy as np

from paparatsd.embeddings.embedder import Embedded, hashed_direction
from paparatsd.embeddings.families import fill, templates_of
from paparatsd.embeddings.tensors import read_tensors
from paparatsd.errors import BadSettings
from paparatsd.model import EmbedderSpec, Fingerprint
from paparatsd.user_paths import expanded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.embeddings.embedder import FloatMatrix, FloatVector
    from paparatsd.settings import EmbedderSettings

CODE_VERSION = 1
"""Raise it when the same files would give other vectors than before."""
SLICE_TEXTS = 32
"""Texts embedded in one go, in a thread; questions go in between."""
MAX_TOKENS = 512
"""What of a text is read when the model does not say."""
TABLES = ("embeddings", "embedding.weight")
"""Names of the table, as model2vec and as sentence-transformers write it."""


@dataclass(frozen=True, slots=True)
class TokenTable:
    """A loaded model: a tokenizer, and per token a row and a weight (both None: its own, 1).

    `digest` names all that decides about the numbers. For one thread at a time.
    """

    tokenizer: Any
    rows: NDArray[Any]
    mapping: NDArray[Any] | None
    weights: NDArray[Any] | None
    unknown: int | None
    digest: str

    @property
    def dimension(self) -> int:
        """The size of the vectors."""
        return int(self.rows.shape[1])

    def encode(self, texts: Sequence[str]) -> FloatMatrix:
        """Return float32 [len(texts), dimension], rows of length 1.

        A text without any known token gets a direction of its own, near to no other text.
        """
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        encoded = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        for position, one in enumerate(encoded):
            tokens = np.array([token for token in one.ids if token != self.unknown], dtype=np.intp)
            total = self._sum(tokens)
            length = np.sqrt(np.add.reduce(total * total))
            if length > 1e-12 and np.isfinite(length):
                vectors[position] = total / length
            else:
                vectors[position] = hashed_direction(texts[position], self.dimension)
        return vectors

    def _sum(self, tokens: NDArray[np.intp]) -> FloatVector:
        rows = tokens if self.mapping is None else self.mapping[tokens]
        taken = self.rows[rows].astype(np.float32)
        if self.weights is not None:
            taken *= self.weights[tokens].astype(np.float32)[:, None]
        # Not a matrix product: BLAS adds in another order from thread count to thread count.
        total: FloatVector = np.add.reduce(taken, axis=0)
        return total


def load_table(path: str) -> TokenTable:
    """Load the model in a folder; takes a moment.

    Raises BadSettings when there is none, or when the extra is not installed.
    """
    folder = expanded(path)
    if not folder.is_absolute():
        raise BadSettings(f"embedder.model: {path!r} must be an absolute path")
    try:
        tokenizers = importlib.import_module("tokenizers")
    except ImportError:
        raise BadSettings(
            "embedder.provider is model2vec but the package tokenizers is not installed; run: "
            "pip install 'paparatsd[model2vec]'"
        ) from None
    inner = folder / "0_StaticEmbedding"
    try:
        return _load(inner if inner.is_dir() else folder, tokenizers)
    except (OSError, ValueError) as error:
        raise BadSettings(
            f"embedder.model: {folder} is no folder of a model2vec model: {error}"
        ) from None


def _load(folder: Path, tokenizers: Any) -> TokenTable:  # noqa: ANN401 - an untyped module
    tensors = read_tensors(folder / "model.safetensors")
    rows = next((tensors[name] for name in TABLES if name in tensors), None)
    if rows is None:
        raise ValueError("model.safetensors has no table of embeddings")
    text = (folder / "tokenizer.json").read_text(encoding="utf-8")
    try:
        tokenizer = tokenizers.Tokenizer.from_str(text)
    except Exception as error:
        raise ValueError(f"tokenizer.json cannot be used ({str(error)[:100]})") from error
    limit = _max_tokens(folder / "config.json")
    tokenizer.no_padding()
    tokenizer.enable_truncation(limit)
    mapping, weights = tensors.get("mapping"), tensors.get("weights")
    tokens = tokenizer.get_vocab_size()
    known = len(rows) if mapping is None else len(mapping)
    outside = mapping is not None and len(mapping) and int(mapping.max()) >= len(rows)
    if (
        rows.ndim != 2
        or tokens > known
        or outside
        or (weights is not None and tokens > len(weights))
    ):
        raise ValueError("tokenizer.json and model.safetensors do not belong together")
    digest = hashlib.blake2b(f"{CODE_VERSION} {limit}".encode(), digest_size=16)
    digest.update(hashlib.blake2b(text.encode()).digest())
    for part in (rows, mapping, weights):
        data = b"" if part is None else np.ascontiguousarray(part).data
        digest.update(hashlib.blake2b(data).digest())
    unknown = json.loads(text).get("model", {}).get("unk_token")
    number = tokenizer.token_to_id(unknown) if isinstance(unknown, str) else None
    return TokenTable(tokenizer, rows, mapping, weights, number, digest.hexdigest())


def _max_tokens(path: Path) -> int:
    try:
        said = json.loads(path.read_text(encoding="utf-8")).get("max_length", MAX_TOKENS)
    except FileNotFoundError:
        return MAX_TOKENS
    return said if isinstance(said, int) and 0 < said <= 1 << 20 else 1 << 20


class Model2vecEmbedder:
    """Embeds texts by a model from a folder, in threads, one at a time."""

    batch_texts = SLICE_TEXTS

    def __init__(
        self, settings: EmbedderSettings, table: TokenTable, *, text_version: int = 1
    ) -> None:
        """Take the loaded model."""
        self._table = table
        self._limiter = anyio.CapacityLimiter(1)
        family = "none" if settings.family == "auto" else settings.family
        self._templates = templates_of(family, settings.query_template, settings.document_template)
        document = self._templates.document
        named = json.dumps([self._table.digest, document, text_version, settings.revision])
        self.spec = EmbedderSpec(
            provider="model2vec",
            model=Path(settings.model).name,
            dimension=self._table.dimension,
            query_template=self._templates.query,
            document_template=document,
            text_version=text_version,
            fingerprint=Fingerprint(hashlib.blake2b(named.encode(), digest_size=16).hexdigest()),
        )

    async def close(self) -> None:
        """Close nothing; for the sake of other embedders."""

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Return float32 [len(texts), dimension] of rows of length 1; no text fails."""
        parts = [np.zeros((0, self._table.dimension), dtype=np.float32)]
        for start in range(0, len(texts), SLICE_TEXTS):
            part = texts[start : start + SLICE_TEXTS]
            filled = [fill(self._templates.document, text) for text in part]
            parts.append(await self._encode(filled))
        return Embedded(np.concatenate(parts))

    async def embed_query(self, text: str) -> FloatVector:
        """Return float32 [dimension] of length 1 for one question."""
        filled = fill(self._templates.for_query(text), text)
        row: FloatVector = (await self._encode([filled]))[0]
        return row

    async def _encode(self, texts: Sequence[str]) -> FloatMatrix:
        return await anyio.to_thread.run_sync(self._table.encode, texts, limiter=self._limiter)
