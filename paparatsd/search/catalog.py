"""The catalog as the search engine reads it: views and frequencies from one committed state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.model import VersionId
from paparatsd.search.views import ShownFile

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.model import Chunk, RepoId, ShardKey, Use
    from paparatsd.store.reader import CatalogReader
    from paparatsd.store.rows import Definition, DocumentRow, Frequencies


class CatalogSource:
    """A `Reader` over the catalog. Languages of known versions are not read again."""

    def __init__(self, reader: CatalogReader) -> None:
        self._reader = reader
        self._languages: dict[int, dict[int, str]] = {}

    def view(self, project_id: int) -> tuple[int, Sequence[ShownFile], Frequencies]:
        """Return the project's generation, what it shows, and that view's word frequencies."""
        with self._reader.snapshot() as reader:
            generation = reader.generation(project_id)
            paths, versions = reader.view_versions(project_id)
            frequencies = reader.frequencies(project_id)
            languages = self._read_languages(project_id, versions.tolist())
        files = [
            ShownFile(path, version, languages[version])
            for path, version in zip(paths, versions.tolist(), strict=True)
        ]
        return generation, files, frequencies

    def documents(self, project_id: int) -> tuple[int, Sequence[DocumentRow], Iterable[str]]:
        """Return the project's generation, its documents by path, and the languages it shows."""
        with self._reader.snapshot() as reader:
            return (
                reader.generation(project_id),
                reader.documents(project_id),
                tuple(reader.totals(project_id).languages),
            )

    def _read_languages(self, project_id: int, versions: Sequence[int]) -> dict[int, str]:
        before = self._languages.get(project_id, {})
        new = [VersionId(version) for version in versions if version not in before]
        found = {int(one): info.language for one, info in self._reader.infos(new).items()}
        known = {one: found[one] if one in found else before.get(one, "text") for one in versions}
        self._languages[project_id] = known
        return known

    def shard_versions(self, shard: ShardKey) -> NDArray[np.int64]:
        """Return all versions that have, or may have, points in the shard."""
        return self._reader.shard_versions(shard)

    def lexical_only(self, shard: ShardKey) -> Sequence[int]:
        """Return the versions in a shard whose chunks have no vectors yet."""
        return self._reader.lexical_only(shard)

    def records(self, versions: Iterable[int]) -> Mapping[int, bytes]:
        """Return the ranking records of these versions; unknown ones are left out."""
        found = self._reader.records(VersionId(version) for version in versions)
        return {int(version): record for version, record in found.items()}

    def definers(self, repos: Sequence[RepoId], folded: Sequence[str]) -> NDArray[np.int64]:
        """Return versions that define a name whose last part, case-folded, is one of these."""
        return self._reader.definers(repos, folded)

    def chunks_of(self, version: int) -> tuple[Chunk, ...]:
        """Return the version's chunks with their texts."""
        return self._reader.chunks_of(VersionId(version))

    def uses_of(self, version: int) -> tuple[Use, ...]:
        """Return the names the version uses."""
        return self._reader.uses_of(VersionId(version))

    def used_names(
        self, version: int, kinds_left_out: Collection[str]
    ) -> tuple[list[int], list[str]]:
        """Return lines and names of the uses in a version, by line, but for some kinds of use."""
        return self._reader.used_names(VersionId(version), kinds_left_out)

    def symbols_named(self, names: Iterable[str]) -> Mapping[str, Sequence[Definition]]:
        """Return for each name where names that end in it are defined, whatever view shows it."""
        return self._reader.symbols_named(names)

    def users_of(self, names: Iterable[str]) -> Mapping[str, Mapping[VersionId, int]]:
        """Return for each exact name the versions that use it and how often."""
        return self._reader.users_of(names)

    def forget(self, project_id: int) -> None:
        """Drop what is kept in memory of a project that is gone."""
        self._languages.pop(project_id, None)
        self._reader.forget(project_id)
