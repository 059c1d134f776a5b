-- Questions that are asked again after each change of the documents, and what became of their answers. Made by the first of them.
CREATE TABLE IF NOT EXISTS watched_questions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    turn INTEGER NOT NULL,  -- how often it was answered: an answer counts only for who found the question at this turn
    change INTEGER NOT NULL,  -- of the library, that the latest answer knew
    record TEXT NOT NULL,  -- JSON: all else
    sum INTEGER NOT NULL  -- of the record as it was written
);
CREATE TABLE IF NOT EXISTS remarks (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    question INTEGER NOT NULL REFERENCES watched_questions ON DELETE CASCADE,
    at REAL NOT NULL,
    record TEXT NOT NULL,  -- JSON
    sum INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS remarks_by_time ON remarks (at);
