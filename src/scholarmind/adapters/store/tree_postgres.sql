CREATE TRIGGER tree_nodes_count_on AFTER INSERT ON tree_nodes REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION count_on();

CREATE FUNCTION tree_member_went() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT state FROM trees WHERE number = old.tree) IN ('building', 'whole') THEN
        UPDATE tree_nodes SET due = 2 WHERE number IN (old.node, old.second);
        UPDATE trees SET passages = passages - 1, version = version + 1 WHERE number = old.tree;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER tree_member_went AFTER DELETE ON tree_members FOR EACH ROW EXECUTE FUNCTION tree_member_went();
