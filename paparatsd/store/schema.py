"""The tables of the catalog. A change here is a new migration, never an edit of an old one."""

from __future__ import annotations

APPLICATION_ID = 0x50617061  # "Papa": tells our files from other people's SQLite files

# What a version is worth in `vector_state.state`.
INTENDED, UPSERTED, FLUSHED = 0, 1, 2

INITIAL = (
    """CREATE TABLE repositories(
        no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, root TEXT UNIQUE) STRICT""",
    # AUTOINCREMENT: an id is never used again, so a reader's cache cannot mix two projects.
    """CREATE TABLE projects(
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, root TEXT NOT NULL,
        grp TEXT NOT NULL, hooks INTEGER NOT NULL, exclude TEXT NOT NULL,
        repo INTEGER NOT NULL REFERENCES repositories(no),
        generation INTEGER NOT NULL DEFAULT 0, branch TEXT, head TEXT,
        files INTEGER NOT NULL DEFAULT 0, chunks INTEGER NOT NULL DEFAULT 0,
        bytes INTEGER NOT NULL DEFAULT 0, skipped INTEGER NOT NULL DEFAULT 0,
        checked_at REAL) STRICT""",
    """CREATE TABLE counts(
        project INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
        what TEXT NOT NULL, key TEXT NOT NULL, n INTEGER NOT NULL,
        PRIMARY KEY(project, what, key)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE fingerprints(
        no INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE) STRICT""",
    """CREATE TABLE versions(
        id INTEGER PRIMARY KEY, repo INTEGER NOT NULL REFERENCES repositories(no),
        path TEXT NOT NULL, content BLOB NOT NULL,
        fingerprint INTEGER NOT NULL REFERENCES fingerprints(no),
        language TEXT NOT NULL, size INTEGER NOT NULL, lines INTEGER NOT NULL,
        chunks INTEGER NOT NULL, degraded TEXT NOT NULL) STRICT""",
    # What is known of a path, whatever view shows it: content seen before is not built again.
    "CREATE INDEX versions_path ON versions(repo, path)",
    # Versions that no view shows, since when, and which project wrote or showed them last.
    """CREATE TABLE unviewed(
        version INTEGER PRIMARY KEY REFERENCES versions(id) ON DELETE CASCADE,
        since REAL NOT NULL, project INTEGER) STRICT""",
    # Versions that are on their way out; what a crash interrupted goes on from here.
    """CREATE TABLE doomed(
        version INTEGER PRIMARY KEY REFERENCES versions(id) ON DELETE CASCADE) STRICT""",
    # Packs live beside `versions` so that listing versions never pages through texts.
    """CREATE TABLE chunk_packs(
        version INTEGER PRIMARY KEY REFERENCES versions(id) ON DELETE CASCADE,
        pack BLOB NOT NULL) STRICT""",
    """CREATE TABLE symbol_packs(
        version INTEGER PRIMARY KEY REFERENCES versions(id) ON DELETE CASCADE,
        symbols BLOB NOT NULL, uses BLOB NOT NULL) STRICT""",
    """CREATE TABLE records(
        version INTEGER PRIMARY KEY REFERENCES versions(id) ON DELETE CASCADE,
        record BLOB NOT NULL) STRICT""",
    # `folded`: the last part of the name, case-folded, for names as people type them.
    """CREATE TABLE names(
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, folded TEXT NOT NULL) STRICT""",
    "CREATE INDEX names_folded ON names(folded)",
    # Clustered by name: one look-up finds every file that defines or uses it.
    """CREATE TABLE definitions(
        name INTEGER NOT NULL, version INTEGER NOT NULL, ordinal INTEGER NOT NULL,
        kind TEXT NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
        chunk INTEGER NOT NULL, container INTEGER NOT NULL, exported INTEGER NOT NULL,
        PRIMARY KEY(name, version, ordinal)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE uses(
        name INTEGER NOT NULL, version INTEGER NOT NULL, n INTEGER NOT NULL,
        PRIMARY KEY(name, version)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE views(
        project INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
        path TEXT NOT NULL, version INTEGER NOT NULL REFERENCES versions(id),
        size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL,
        inode INTEGER NOT NULL, racy INTEGER NOT NULL,
        PRIMARY KEY(project, path)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX views_version ON views(version)",
    """CREATE TABLE skipped(
        project INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
        path TEXT NOT NULL, reason TEXT NOT NULL, detail TEXT NOT NULL,
        size INTEGER, mtime_ns INTEGER, ctime_ns INTEGER, inode INTEGER,
        PRIMARY KEY(project, path)) STRICT, WITHOUT ROWID""",
    # Document frequencies as a log: a segment holds the sum of the generations first..last.
    """CREATE TABLE segments(
        project INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
        first INTEGER NOT NULL, last INTEGER NOT NULL, terms INTEGER NOT NULL,
        chunks INTEGER NOT NULL, pack BLOB NOT NULL,
        PRIMARY KEY(project, last)) STRICT""",
    """CREATE TABLE shards(
        no INTEGER PRIMARY KEY, repo TEXT NOT NULL, kind TEXT NOT NULL,
        fingerprint TEXT NOT NULL, dimension INTEGER NOT NULL,
        UNIQUE(repo, kind, fingerprint, dimension)) STRICT""",
    """CREATE TABLE vector_state(
        shard INTEGER NOT NULL REFERENCES shards(no), version INTEGER NOT NULL,
        state INTEGER NOT NULL, dense INTEGER NOT NULL,
        PRIMARY KEY(shard, version)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX vector_state_unflushed ON vector_state(shard) WHERE state < 2",
    "CREATE INDEX vector_state_lexical ON vector_state(shard) WHERE dense = 0",
    """CREATE TABLE outbox(
        seq INTEGER PRIMARY KEY AUTOINCREMENT, shard INTEGER NOT NULL REFERENCES shards(no),
        version INTEGER NOT NULL, UNIQUE(shard, version)) STRICT""",
)

GRAPH = (
    "ALTER TABLE symbol_packs ADD COLUMN facts BLOB NOT NULL DEFAULT x''",
    # Facts that are looked for by name: packages, routes, and what manifests provide and need.
    """CREATE TABLE labels(
        kind TEXT NOT NULL, name TEXT NOT NULL,
        version INTEGER NOT NULL REFERENCES versions(id) ON DELETE CASCADE,
        PRIMARY KEY(kind, name, version)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX labels_version ON labels(version)",
)

DOCUMENTS = (
    # Versions that are documents, with what they say of themselves (`model.DocumentHead`).
    """CREATE TABLE documents(
        version INTEGER PRIMARY KEY REFERENCES versions(id) ON DELETE CASCADE,
        title TEXT NOT NULL, link TEXT NOT NULL, modified REAL, audience TEXT NOT NULL,
        refused TEXT NOT NULL) STRICT""",
    "CREATE INDEX documents_refused ON documents(version) WHERE refused <> ''",
)

MODELS = (
    # Which embedder made the vectors that answer, per role ("code", "text"), without its key.
    """CREATE TABLE models(
        role TEXT PRIMARY KEY, kind TEXT NOT NULL, fingerprint TEXT NOT NULL,
        dimension INTEGER NOT NULL, settings TEXT NOT NULL, spec TEXT NOT NULL) STRICT""",
    # How often somebody asked to have all of a repository built anew: part of its fingerprint.
    "ALTER TABLE repositories ADD COLUMN build INTEGER NOT NULL DEFAULT 0",
)
