-- The trees of summaries: one for each collection and each way of measuring likeness. Made when the first passage is placed.

-- state: building (not asked yet), whole (asked), old (to be cleared away). Passages and version are kept up by the trigger, too.
CREATE TABLE IF NOT EXISTS trees (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    collection INTEGER NOT NULL REFERENCES collections,
    space TEXT NOT NULL,
    fingerprint TEXT NOT NULL,  -- the shape of the tree, a colon, and that of the embedder that its vectors are from
    state TEXT NOT NULL,
    passages INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL DEFAULT 0
);

-- due: 0 nothing, 1 the summary is to be made, 2 passages went and what is below is to be counted anew.
CREATE TABLE IF NOT EXISTS tree_nodes (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    tree INTEGER NOT NULL REFERENCES trees ON DELETE CASCADE,
    level INTEGER NOT NULL,
    parent INTEGER REFERENCES tree_nodes ON DELETE SET NULL,
    passages INTEGER NOT NULL,
    due INTEGER NOT NULL DEFAULT 1,
    sums BLOB NOT NULL,  -- of the vectors below it, each of length 1
    title TEXT NOT NULL DEFAULT '',
    summary TEXT NOT NULL DEFAULT '[]',  -- JSON list of [sentence, [passages]]
    "by" TEXT NOT NULL DEFAULT 'extractive',
    notes TEXT NOT NULL DEFAULT '[]'  -- JSON list
);
CREATE INDEX IF NOT EXISTS tree_nodes_of_tree ON tree_nodes (tree, level);
CREATE INDEX IF NOT EXISTS tree_nodes_by_parent ON tree_nodes (parent);
CREATE INDEX IF NOT EXISTS tree_nodes_due ON tree_nodes (due, level) WHERE due > 0;

-- Where each passage has its place, and the node that it is nearly as near to. Two trees may have it, while one is built.
CREATE TABLE IF NOT EXISTS tree_members (
    passage INTEGER NOT NULL REFERENCES passages ON DELETE CASCADE,
    tree INTEGER NOT NULL REFERENCES trees ON DELETE CASCADE,
    node INTEGER NOT NULL REFERENCES tree_nodes ON DELETE CASCADE,
    second INTEGER REFERENCES tree_nodes ON DELETE SET NULL,
    PRIMARY KEY (passage, tree)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tree_members_of_node ON tree_members (node);
CREATE INDEX IF NOT EXISTS tree_members_of_second ON tree_members (second) WHERE second IS NOT NULL;

-- A document goes with its passages, and they with their places: what is left behind is marked, and readers see another version.
CREATE TRIGGER IF NOT EXISTS tree_member_went AFTER DELETE ON tree_members
WHEN (SELECT state FROM trees WHERE number = old.tree) IN ('building', 'whole') BEGIN
    UPDATE tree_nodes SET due = 2 WHERE number IN (old.node, old.second);
    UPDATE trees SET passages = passages - 1, version = version + 1 WHERE number = old.tree;
END;
