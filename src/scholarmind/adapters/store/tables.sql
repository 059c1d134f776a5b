-- Saved tables, and what was found for their cells. A cell belongs to what its document says (its hash), not to its id: the same text is
-- not asked twice, a changed one is asked anew. Made when the first table is saved.
CREATE TABLE IF NOT EXISTS literature_tables (
    name TEXT PRIMARY KEY,
    definition TEXT NOT NULL,  -- JSON: columns and filter
    sum INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS literature_cells (
    content TEXT NOT NULL,  -- documents.hash
    "column" TEXT NOT NULL,
    cell TEXT NOT NULL,  -- JSON
    sum INTEGER NOT NULL,
    PRIMARY KEY (content, "column")
) WITHOUT ROWID;
-- What a person said of a cell. It outlives the document, for the day when it is read again.
CREATE TABLE IF NOT EXISTS literature_corrections (
    collection TEXT NOT NULL,
    id TEXT NOT NULL,
    "column" TEXT NOT NULL,
    value TEXT NOT NULL,  -- '' for "not stated"
    sum INTEGER NOT NULL,
    PRIMARY KEY (collection, id, "column")
) WITHOUT ROWID;
