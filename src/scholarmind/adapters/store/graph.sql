-- The graph of papers. It is made when the first document is put into it; a library without one has none of these tables.

-- The documents that were read into it, by which extraction, and the newest document that was there then: what came later
-- looks for itself in what was read earlier.
CREATE TABLE IF NOT EXISTS graph_documents (
    document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    version TEXT NOT NULL,
    newest INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS graph_documents_by_newest ON graph_documents (newest);

-- How many documents were read by which extraction: counting them for every question would take too long.
CREATE TABLE IF NOT EXISTS graph_versions (
    version TEXT PRIMARY KEY,
    documents INTEGER NOT NULL
) WITHOUT ROWID;
-- The documents whose names were not compared with those of all others since they were read.
CREATE TABLE IF NOT EXISTS graph_unsettled (
    document INTEGER PRIMARY KEY REFERENCES graph_documents ON DELETE CASCADE
);
CREATE TRIGGER IF NOT EXISTS graph_version_comes AFTER INSERT ON graph_documents BEGIN
    INSERT INTO graph_versions VALUES (new.version, 1) ON CONFLICT (version) DO UPDATE SET documents = documents + 1;
    INSERT INTO graph_unsettled VALUES (new.document) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER IF NOT EXISTS graph_version_changes AFTER UPDATE ON graph_documents BEGIN
    UPDATE graph_versions SET documents = documents - 1 WHERE version = old.version;
    INSERT INTO graph_versions VALUES (new.version, 1) ON CONFLICT (version) DO UPDATE SET documents = documents + 1;
    INSERT INTO graph_unsettled VALUES (new.document) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER IF NOT EXISTS graph_version_goes AFTER DELETE ON graph_documents BEGIN
    UPDATE graph_versions SET documents = documents - 1 WHERE version = old.version;
END;

-- Every way in which a thing is written. A node is a class of names: those with one kind, key and scope, and what was merged.
CREATE TABLE IF NOT EXISTS graph_names (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    scope TEXT NOT NULL,
    key TEXT NOT NULL,  -- what names have in common that are one
    first TEXT NOT NULL,  -- its first few tokens, to recognise it in questions
    node INTEGER NOT NULL,  -- the number of one of its names
    edges INTEGER NOT NULL DEFAULT 0,
    UNIQUE (kind, name, scope)
);
CREATE INDEX IF NOT EXISTS graph_names_by_key ON graph_names (kind, key, scope);
CREATE INDEX IF NOT EXISTS graph_names_by_first ON graph_names (first);
CREATE INDEX IF NOT EXISTS graph_names_of_node ON graph_names (node);
CREATE INDEX IF NOT EXISTS graph_names_unused ON graph_names (number) WHERE edges = 0;

-- The name that a document of the library itself has.
CREATE TABLE IF NOT EXISTS graph_papers (
    document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    name INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS graph_papers_by_name ON graph_papers (name);

-- What identifies the works that are cited and are not in the library.
CREATE TABLE IF NOT EXISTS graph_works (
    key TEXT NOT NULL,
    name INTEGER NOT NULL REFERENCES graph_names ON DELETE CASCADE,
    PRIMARY KEY (key, name)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS graph_works_of_name ON graph_works (name);

CREATE TABLE IF NOT EXISTS graph_edges (
    number INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used twice: another highest one is another graph
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    relation TEXT NOT NULL,
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    confidence REAL NOT NULL,
    "by" TEXT NOT NULL,
    passage INTEGER,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    metric TEXT NOT NULL,
    value TEXT NOT NULL,
    amount REAL,
    setting TEXT NOT NULL,
    about INTEGER REFERENCES documents ON DELETE CASCADE  -- of MENTIONS: the document that the passage names
);
-- All that a walk needs to know of an edge: the rows themselves are spread over the whole file.
CREATE INDEX IF NOT EXISTS graph_edges_from ON graph_edges (source, relation, target, document, confidence, about);
CREATE INDEX IF NOT EXISTS graph_edges_into ON graph_edges (target, relation, source, document, confidence, about);
CREATE INDEX IF NOT EXISTS graph_edges_of_document ON graph_edges (document);
CREATE INDEX IF NOT EXISTS graph_edges_about ON graph_edges (about) WHERE about IS NOT NULL;
CREATE INDEX IF NOT EXISTS graph_edges_naming ON graph_edges (passage) WHERE about IS NOT NULL;

CREATE TRIGGER IF NOT EXISTS graph_edge_comes AFTER INSERT ON graph_edges BEGIN
    UPDATE graph_names SET edges = edges + 1 WHERE number IN (new.source, new.target);
END;
CREATE TRIGGER IF NOT EXISTS graph_edge_goes AFTER DELETE ON graph_edges BEGIN
    UPDATE graph_names SET edges = edges - 1 WHERE number IN (old.source, old.target);
END;

-- Two names of one thing, as a text itself defines them: "masked language modelling (MLM)".
CREATE TABLE IF NOT EXISTS graph_aliases (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    other_key TEXT NOT NULL,
    name TEXT NOT NULL,
    other TEXT NOT NULL,
    PRIMARY KEY (document, kind, key, other_key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS graph_aliases_by_key ON graph_aliases (kind, key, other_key);

-- Names that were taken for one thing, and names that must not be. Both outlive documents.
CREATE TABLE IF NOT EXISTS graph_merges (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    scope TEXT NOT NULL,
    into_key TEXT NOT NULL,
    into_scope TEXT NOT NULL,
    name TEXT NOT NULL,
    into_name TEXT NOT NULL,
    "by" TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (kind, key, scope, into_key, into_scope)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS graph_merges_into ON graph_merges (kind, into_key, into_scope);
CREATE INDEX IF NOT EXISTS graph_merges_by_hand ON graph_merges (kind, into_key, into_scope) WHERE "by" = 'hand';
CREATE TABLE IF NOT EXISTS graph_apart (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    scope TEXT NOT NULL,
    other_key TEXT NOT NULL,
    other_scope TEXT NOT NULL,
    PRIMARY KEY (kind, key, scope, other_key, other_scope)
) WITHOUT ROWID;
