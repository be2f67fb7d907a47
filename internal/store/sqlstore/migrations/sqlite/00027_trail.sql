-- The audit as operators read it: by program, by what an act was about, by who acted. An entry may
-- belong to a bank and to none of its programs. Entries of callers are in the first index only, and
-- in that on cards: the others are partial, so that an act of a caller does not pay for them.

-- +goose Up
ALTER TABLE audit ADD COLUMN bank_id BIGINT NOT NULL DEFAULT 0;
CREATE INDEX audit_program ON audit (program_id, audit_id);
CREATE INDEX audit_bank ON audit (bank_id, audit_id) WHERE bank_id <> 0;
CREATE INDEX audit_subject ON audit (subject_kind, subject_id, audit_id) WHERE card_id = 0;
CREATE INDEX audit_actor ON audit (key_name, audit_id) WHERE actor_kind <> 'key';

-- When an operator published a document; NULL for one from a file, and for those of a program of
-- the version before.
ALTER TABLE documents ADD COLUMN published_at BIGINT;

-- Documents that are not published. They stand in a table of their own, so that nothing that reads
-- documents for callers can meet one. Their numbers are never given again, and begin where files
-- that operators load have none.
CREATE TABLE document_drafts (
    document_id  INTEGER PRIMARY KEY AUTOINCREMENT
        CHECK (document_id BETWEEN 1 AND 2147483647),
    bank_id      BIGINT NOT NULL REFERENCES banks (bank_id),
    culture      TEXT NOT NULL,
    type         TEXT NOT NULL,
    title        TEXT NOT NULL,
    html         TEXT NOT NULL,
    effective_at BIGINT,
    expires_at   BIGINT,
    revision     BIGINT NOT NULL DEFAULT 1,
    -- Last, so that a list of drafts does not have to read past the bytes.
    pdf          BLOB
);
INSERT INTO sqlite_sequence (name, seq) VALUES ('document_drafts', 1000000);
CREATE INDEX document_drafts_bank ON document_drafts (bank_id, document_id);
