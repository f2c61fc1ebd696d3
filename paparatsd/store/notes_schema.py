"""The tables of the notes file. A change here is a new migration, never an edit of an old one."""

from __future__ import annotations

from paparatsd.store.migrations import FileKind, Migration

INITIAL = (
    # `text` is what is embedded; `payload` is JSON, and `text` can be made from it again.
    """CREATE TABLE notes(
        id TEXT PRIMARY KEY, kind TEXT NOT NULL, grp TEXT NOT NULL, project TEXT,
        label TEXT NOT NULL, status TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL,
        payload TEXT NOT NULL, text TEXT NOT NULL) STRICT, WITHOUT ROWID""",
    "CREATE INDEX notes_group ON notes(grp, kind)",
    # By fingerprint first: all vectors of one embedder are read in one go. `vector`: float32, LE.
    """CREATE TABLE vectors(
        fingerprint TEXT NOT NULL, note TEXT NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
        vector BLOB NOT NULL, PRIMARY KEY(fingerprint, note)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX vectors_note ON vectors(note)",
)

NOTES = FileKind(
    "notes",
    0x5061704E,
    (Migration(1, INITIAL),),
    "to begin without notes",
    primary=True,
    # A log that is left would be applied to the copy as well.
    damaged="stop paparatsd, move it with its -wal and -shm away, and put a copy of it (beside it, "
    "named .copy-DATE) in its place",
)
"""Its application id is "PapN"."""
