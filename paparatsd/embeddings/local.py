"""Heavy models from a folder on this disk, in a process of their own; nothing leaves the machine.

The process is started when the embedder is opened. Texts go to it in small batches, so that a
question waits for one of them at most.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from paparatsd import ipc
from paparatsd.embeddings.embedder import BadRows, Embedded, check_vectors
from paparatsd.embeddings.families import fill
from paparatsd.embeddings.local_options import LocalOptions
from paparatsd.embeddings.model_folder import templates_in
from paparatsd.errors import BadSettings, ChildDied, EmbedderUnavailable
from paparatsd.model import EmbedderSpec, Fingerprint
from paparatsd.supervise import Child, RemoteError, local_error
from paparatsd.user_paths import expanded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.embeddings.embedder import FloatMatrix, FloatVector
    from paparatsd.settings import EmbedderSettings

PACKAGES = {
    "onnx": ("onnxruntime", "tokenizers"),
    "sentence-transformers": ("sentence_transformers",),
}
"""What each provider needs, which the extra of its name installs."""
BATCH_TEXTS = 8
LOAD_S = 300.0
EMBED_S = 300.0


class LocalEmbedder:
    """Embeds texts by a model in another process; made by `open_local`."""

    def __init__(
        self,
        settings: EmbedderSettings,
        child: Child,
        folder: Path,
        *,
        dimension: int,
        digest: str,
        text_version: int,
    ) -> None:
        """Take what the process has said of the model."""
        self._child = child
        self._templates = templates_in(folder, settings)
        self.batch_texts = settings.batch_texts or BATCH_TEXTS
        document = self._templates.document
        named = json.dumps([settings.provider, digest, document, text_version, settings.revision])
        self.spec = EmbedderSpec(
            provider=settings.provider,
            model=Path(settings.model).name,
            dimension=dimension,
            query_template=self._templates.query,
            document_template=document,
            text_version=text_version,
            fingerprint=Fingerprint(hashlib.blake2b(named.encode(), digest_size=16).hexdigest()),
        )

    @property
    def pid(self) -> int | None:
        """The process of the model while it runs."""
        return self._child.pid

    async def close(self) -> None:
        """End the process."""
        await self._child.stop()

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Return float32 [len(texts), dimension] of rows of length 1.

        Texts that become zeros or NaN are told as failed. Raises EmbedderUnavailable, BadReply.
        """
        vectors = np.zeros((len(texts), self.spec.dimension), dtype=np.float32)
        failed: list[int] = []
        # Texts of one length together: the short ones need not wait for the long ones.
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        for start in range(0, len(order), self.batch_texts):
            batch = order[start : start + self.batch_texts]
            filled = [fill(self._templates.document, texts[number]) for number in batch]
            try:
                vectors[batch] = await self._embed(filled, ipc.NORMAL)
            except BadRows as error:
                vectors[batch] = error.vectors
                failed += [batch[row] for row in error.bad]
        return Embedded(vectors, tuple(sorted(failed)))

    async def embed_query(self, text: str) -> FloatVector:
        """Return float32 [dimension] of length 1. Raises EmbedderUnavailable, BadReply."""
        filled = fill(self._templates.for_query(text), text)
        row: FloatVector = (await self._embed([filled], ipc.URGENT))[0]
        return row

    async def _embed(self, texts: Sequence[str], urgency: int) -> FloatMatrix:
        try:
            rows = await self._child.call("embed", list(texts), timeout_s=EMBED_S, urgency=urgency)
        except RemoteError as error:
            raise local_error(error, self._child.name) from error
        except ChildDied as error:
            raise EmbedderUnavailable(
                f"the embedding model has ended ({error}); is there memory enough for it?"
            ) from error
        return check_vectors(rows, count=len(texts), dimension=self.spec.dimension)


async def open_local(settings: EmbedderSettings, *, text_version: int) -> LocalEmbedder:
    """Start the process of a model and return its embedder; takes as long as loading does.

    Raises BadSettings when the packages are missing or the folder has no such model.
    """
    check_packages(settings.provider)
    model = expanded(settings.model)
    if not model.is_absolute() or not model.exists():
        raise BadSettings(
            f"embedder.model: {settings.model!r} must be the absolute path of a folder on this "
            "disk; models are not downloaded"
        )
    options = LocalOptions(
        provider=settings.provider,
        model=str(model),
        threads=settings.threads or max(1, (os.cpu_count() or 1) // 2),
        max_tokens=settings.max_tokens,
        pooling=settings.pooling,
    )
    child = Child("model", "paparatsd.embeddings.local_child", (options.to_argument(),))
    try:
        dimension, digest = await child.call("describe", timeout_s=LOAD_S)
    except BaseException as error:
        await child.stop()
        if isinstance(error, RemoteError):
            raise local_error(error, child.name) from error
        if isinstance(error, ChildDied):
            raise BadSettings(f"embedder.model: {model} cannot be loaded: {error}") from error
        raise
    folder = model.parent if model.suffix == ".onnx" else model
    return LocalEmbedder(
        settings, child, folder, dimension=dimension, digest=digest, text_version=text_version
    )


def check_packages(provider: str) -> None:
    """Raise BadSettings, with the command that helps, when a provider's packages are missing."""
    for package in PACKAGES[provider]:
        if importlib.util.find_spec(package) is None:
            raise BadSettings(
                f"embedder.provider is {provider} but the package {package.replace('_', '-')} is "
                f"not installed; run: pip install 'paparatsd[{provider}]'"
            )
