"""What every command gets: where the daemon is, where to print, what was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.interfaces.client import Client

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from paparatsd.interfaces.cli.output import Output
    from paparatsd.settings import Places


class Context:
    """One invocation of the command line."""

    def __init__(
        self,
        places: Places,
        output: Output,
        arguments: Namespace,
        environment: Mapping[str, str],
    ) -> None:
        self.places = places
        self.output = output
        self.arguments = arguments
        self.environment = environment
        self._clients: list[Client] = []

    @property
    def as_json(self) -> bool:
        """Whether JSON is wanted instead of text."""
        return bool(self.arguments.json)

    def client(self, timeout_s: float = 30.0) -> Client:
        """Return a client of the daemon's control API."""
        client = Client(self.places.control_socket, timeout_s=timeout_s)
        self._clients.append(client)
        return client

    def tell_version(self) -> None:
        """Say so when the daemon that answered is of another version than this command."""
        notes = {note for client in self._clients if (note := client.version_note())}
        for note in notes:
            self.output.note(f"paparats: {note}")
