-- A second vector of passages, from an embedder that knows more languages. No row: still to come, where one is wanted. A row without a
-- vector: not even that embedder can make sense of the text. Made when the first of them is stored.
CREATE TABLE IF NOT EXISTS multilingual (
    passage INTEGER PRIMARY KEY REFERENCES passages ON DELETE CASCADE,
    vector BLOB,
    sum INTEGER NOT NULL,  -- of the vector as it was written
    change INTEGER NOT NULL  -- the change that it came with
);
CREATE INDEX IF NOT EXISTS multilingual_by_change ON multilingual (change) WHERE vector IS NOT NULL;
CREATE INDEX IF NOT EXISTS multilingual_without ON multilingual (passage) WHERE vector IS NULL;
