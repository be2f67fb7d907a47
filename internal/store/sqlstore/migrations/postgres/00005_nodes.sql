-- What several nodes on one database need: a lease says which of them does a duty for now, and a
-- notification tells all of them at once that a key has changed.

-- +goose Up
CREATE TABLE leases (
    name     TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (name <> ''),
    holder   TEXT COLLATE "C" NOT NULL CHECK (holder <> ''),
    until_at BIGINT NOT NULL
);

-- +goose StatementBegin
CREATE FUNCTION tell_access_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('mintmark_access', '');
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER access_changed AFTER UPDATE ON access_revision
    FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();
