-- What the tables need beside what SQLite's schema says of them.

CREATE VIEW sqlite_sequence AS
    SELECT replace(sequencename, '_number_seq', '') AS name, coalesce(last_value, 0) AS seq
    FROM pg_sequences WHERE schemaname = current_schema();

-- Passages and nodes of trees come with their numbers; the next ones go on from there, whatever is removed meanwhile.
CREATE FUNCTION count_on() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    counter text := TG_TABLE_NAME || '_number_seq';
BEGIN
    PERFORM setval(counter::regclass, greatest((SELECT max(number) FROM inserted), (SELECT seq FROM sqlite_sequence WHERE name = TG_TABLE_NAME)))
    FROM inserted LIMIT 1;
    RETURN NULL;
END $$;
CREATE TRIGGER passages_count_on AFTER INSERT ON passages REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION count_on();
