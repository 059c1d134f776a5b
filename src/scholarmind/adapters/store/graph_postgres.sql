CREATE FUNCTION graph_version_comes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE graph_versions SET documents = documents - 1 WHERE version = old.version;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO graph_versions VALUES (new.version, 1)
            ON CONFLICT (version) DO UPDATE SET documents = graph_versions.documents + 1;
        INSERT INTO graph_unsettled VALUES (new.document) ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER graph_version_comes AFTER INSERT OR UPDATE OR DELETE ON graph_documents
    FOR EACH ROW EXECUTE FUNCTION graph_version_comes();

CREATE FUNCTION graph_edge_comes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE graph_names SET edges = edges + 1 WHERE number IN (new.source, new.target);
    RETURN NULL;
END $$;
CREATE TRIGGER graph_edge_comes AFTER INSERT ON graph_edges FOR EACH ROW EXECUTE FUNCTION graph_edge_comes();
CREATE FUNCTION graph_edge_goes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE graph_names SET edges = edges - 1 WHERE number IN (old.source, old.target);
    RETURN NULL;
END $$;
CREATE TRIGGER graph_edge_goes AFTER DELETE ON graph_edges FOR EACH ROW EXECUTE FUNCTION graph_edge_goes();
