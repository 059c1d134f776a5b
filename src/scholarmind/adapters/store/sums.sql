-- What documents and passages were when they were written, so that changed bytes are noticed (checksums.py).
CREATE TABLE sums (
    document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    head INTEGER NOT NULL,  -- of its row, which is looked at whenever it is cited
    body INTEGER NOT NULL  -- of its text and all else that hangs on it
);
CREATE TABLE passage_sums (
    passage INTEGER PRIMARY KEY REFERENCES passages ON DELETE CASCADE,
    sum INTEGER NOT NULL,
    vector INTEGER  -- NULL while it waits for one
);
