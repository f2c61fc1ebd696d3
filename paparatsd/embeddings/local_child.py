"""The model process: `python -m paparatsd.embeddings.local_child OPTIONS FD`.

Loads a model from a folder on the first request, embeds texts, and ends when the daemon's end of
the pipe closes. It reaches no network.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol

from paparatsd import ipc
from paparatsd.embeddings import onnx_model, sentence_model
from paparatsd.embeddings.local_options import LocalOptions
from paparatsd.errors import BadReply, BadSettings
from paparatsd.settings import forbid_downloads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paparatsd.embeddings.embedder import FloatMatrix


class LoadedModel(Protocol):
    """A model in memory, for one thread."""

    @property
    def dimension(self) -> int:
        """The size of its vectors."""
        ...

    @property
    def digest(self) -> str:
        """What names all that decides about the numbers."""
        ...

    def encode(self, texts: Sequence[str]) -> FloatMatrix:
        """Return float32 [len(texts), dimension]."""
        ...


LOADERS: dict[str, Callable[[LocalOptions], LoadedModel]] = {
    "onnx": onnx_model.load,
    "sentence-transformers": sentence_model.load,
}


class Server:
    """Turns requests into calls of the model."""

    def __init__(self, options: LocalOptions) -> None:
        self._options = options
        self._model: LoadedModel | None = None

    def handle(self, operation: str, argument: Any, note: Callable[[Any], None]) -> Any:  # noqa: ANN401 - frames carry any value
        """Serve one request of the daemon.

        Raises BadSettings for a model that cannot be used, BadReply for one that fails.
        """
        del note
        model = self._model = self._model or self._load()
        if operation == "describe":
            return model.dimension, model.digest
        if operation == "embed":
            return self._embed(model, argument)
        raise ValueError(f"unknown operation {operation!r}")

    def _embed(self, model: LoadedModel, texts: Sequence[str]) -> FloatMatrix:
        try:
            return model.encode(texts)
        except Exception as error:
            raise BadReply(f"the embedding model fails: {str(error)[:300]}") from error

    def _load(self) -> LoadedModel:
        options = self._options
        try:
            return LOADERS[options.provider](options)
        except (OSError, ValueError, ImportError) as error:
            raise BadSettings(
                f"embedder.model: {options.model} cannot be used with {options.provider}: {error}"
            ) from None


def main() -> None:
    """Serve the daemon until its end of the pipe closes."""
    forbid_downloads()
    ipc.serve_child(Server(LocalOptions.from_argument(sys.argv[1])).handle)


if __name__ == "__main__":
    main()
