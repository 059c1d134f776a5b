-- What our statements use of SQLite and PostgreSQL does not have.

CREATE FUNCTION instr(text, text) RETURNS bigint IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql
    AS $$ SELECT strpos($1, $2)::bigint $$;
CREATE FUNCTION as_blob(text) RETURNS bytea IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql
    AS $$ SELECT convert_to($1, 'UTF8') $$;
CREATE FUNCTION as_blob(bytea) RETURNS bytea IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql
    AS $$ SELECT $1 $$;

-- Of a list: the place of each thing in it, the thing itself where it is a number, where it is a word, and where it is a list.
CREATE FUNCTION json_each(listed text) RETURNS TABLE (key bigint, value bigint, word text, item json)
    IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql ROWS 100 AS $$
    SELECT place - 1, CASE json_typeof(each) WHEN 'number' THEN (each #>> '{}')::bigint END,
        CASE json_typeof(each) WHEN 'string' THEN each #>> '{}' END COLLATE "C", each
    FROM json_array_elements(listed::json) WITH ORDINALITY AS list (each, place)
$$;

CREATE VIEW sqlite_master AS
    SELECT 'table' AS type, tablename::text AS name FROM pg_tables WHERE schemaname = current_schema()
    UNION ALL SELECT 'trigger', tgname::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.relnamespace = current_schema()::regnamespace AND NOT tgisinternal;
