-- The truth. Everything else in the folder can be thrown away and is made again from here.

CREATE TABLE about (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- The counts are kept up in the same transaction as what they count: counting a million rows takes too long.
CREATE TABLE collections (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    documents INTEGER NOT NULL DEFAULT 0,
    passages INTEGER NOT NULL DEFAULT 0,
    vectors INTEGER NOT NULL DEFAULT 0,
    unsuited INTEGER NOT NULL DEFAULT 0
);

-- Numbers are never used twice: a replaced document gets a new one, so the text behind a number never changes.
CREATE TABLE documents (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    collection INTEGER NOT NULL REFERENCES collections,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    authors TEXT NOT NULL,  -- JSON list
    year INTEGER,
    source TEXT NOT NULL,
    origin TEXT NOT NULL,
    language TEXT NOT NULL,
    kind TEXT NOT NULL,
    metadata TEXT NOT NULL,  -- JSON object
    hash TEXT NOT NULL,
    UNIQUE (collection, id)
);

CREATE TABLE texts (
    document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    text TEXT NOT NULL
);

CREATE TABLE passages (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    position INTEGER NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    section TEXT NOT NULL,  -- JSON list of headings
    language TEXT NOT NULL,
    text TEXT NOT NULL,
    hash BLOB NOT NULL,  -- of what is embedded: the same words need no second embedding
    page INTEGER,
    kind TEXT NOT NULL DEFAULT 'text'
);
CREATE INDEX passages_of_document ON passages (document);
CREATE INDEX passages_by_hash ON passages (hash);

-- No row: waiting for its vector. A row without a vector: the embedder cannot make sense of the text.
CREATE TABLE vectors (
    passage INTEGER PRIMARY KEY REFERENCES passages ON DELETE CASCADE,
    vector BLOB,
    change INTEGER NOT NULL  -- the change that it came with
);
CREATE INDEX vectors_by_change ON vectors (change);
CREATE TABLE backlog (
    passage INTEGER PRIMARY KEY REFERENCES passages ON DELETE CASCADE
);

-- What filters look at: a row for every value of every field.
CREATE TABLE terms (
    field TEXT NOT NULL,
    value TEXT NOT NULL,  -- folded
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    number REAL,  -- the value, where it is a number
    PRIMARY KEY (field, value, document)
) WITHOUT ROWID;
CREATE INDEX terms_by_number ON terms (field, number, document) WHERE number IS NOT NULL;
CREATE INDEX terms_of_document ON terms (document);

-- What documents are called: looked up by the first few words, to recognise names in questions and in passages.
CREATE TABLE names (
    key TEXT NOT NULL,
    name TEXT NOT NULL,  -- all of its words
    field TEXT NOT NULL,
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    value TEXT NOT NULL,  -- that it is a form of; last, or SQLite 3.40 takes it for NULL in its checks
    PRIMARY KEY (key, name, field, document)
) WITHOUT ROWID;
CREATE INDEX names_of_document ON names (document);

-- What derived indexes catch up from. kind: put, remove, fill (vectors came, for no document in particular).
CREATE TABLE changes (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    document INTEGER
);
CREATE INDEX changes_of_text ON changes (number) WHERE kind <> 'fill';

-- Where the text of a document stands on its pages.
CREATE TABLE layouts (
    document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    packed BLOB NOT NULL
);

-- What the fields of a document rest on, and what else was said of them.
CREATE TABLE facts (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    position INTEGER NOT NULL,
    field TEXT NOT NULL,
    value TEXT NOT NULL,  -- JSON
    source TEXT NOT NULL,
    sure REAL NOT NULL,
    "by" TEXT NOT NULL,
    PRIMARY KEY (document, position)
) WITHOUT ROWID;

-- The references of a document.
CREATE TABLE cited (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    position INTEGER NOT NULL,
    label TEXT NOT NULL,
    text TEXT NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    authors TEXT NOT NULL,  -- JSON list
    year INTEGER,
    title TEXT NOT NULL,
    doi TEXT NOT NULL,
    arxiv TEXT NOT NULL,
    PRIMARY KEY (document, position)
);

-- What identifies the works that are cited, and the documents. Whoever has a key in common is the same work: which document a
-- reference means is asked anew each time, so that nothing has to be mended when documents come and go.
CREATE TABLE cited_keys (
    key TEXT NOT NULL,
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    position INTEGER NOT NULL,
    PRIMARY KEY (key, document, position)
) WITHOUT ROWID;
CREATE INDEX cited_keys_of_document ON cited_keys (document, position);
CREATE TABLE work_keys (
    key TEXT NOT NULL,
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    PRIMARY KEY (key, document)
) WITHOUT ROWID;
CREATE INDEX work_keys_of_document ON work_keys (document);

-- The places in a text that point at references of its document.
CREATE TABLE pointers (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    start INTEGER NOT NULL,
    position INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    "references" TEXT NOT NULL,  -- JSON list of positions
    PRIMARY KEY (document, start, position)
) WITHOUT ROWID;

-- What became of files. Those with a hash were read whole: unchanged ones need not even be opened again.
CREATE TABLE sources (
    collection TEXT NOT NULL,
    path TEXT NOT NULL,
    hash TEXT,
    read REAL NOT NULL,
    seconds REAL NOT NULL,
    bytes INTEGER NOT NULL,
    problems TEXT NOT NULL,  -- JSON list
    PRIMARY KEY (collection, path)
) WITHOUT ROWID;

-- The entries of bibliographies, and the documents that they were matched with.
CREATE TABLE bibliographies (
    collection TEXT NOT NULL,
    path TEXT NOT NULL,
    position INTEGER NOT NULL,
    key TEXT NOT NULL,
    line INTEGER NOT NULL,
    entry TEXT NOT NULL,  -- JSON: what else the entry says
    document TEXT NOT NULL,  -- id, '' for none
    how TEXT NOT NULL,
    PRIMARY KEY (collection, path, position)
);

-- What a person said of documents. It outlives them, for the day when they are read again.
CREATE TABLE corrections (
    collection TEXT NOT NULL,
    id TEXT NOT NULL,
    field TEXT NOT NULL,
    value TEXT NOT NULL,  -- JSON
    PRIMARY KEY (collection, id, field)
) WITHOUT ROWID;
