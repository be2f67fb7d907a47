-- The sealed log: the order of audit rows, and the Merkle tree over them. An audit row is never
-- changed: a batch of rows is sealed by inserting a row here that names them. digest is the keyed
-- digest that a row has from its own transaction on; it is NULL in older rows, and in those that a
-- program of the version before writes.

-- +goose Up
ALTER TABLE audit ADD COLUMN digest BYTEA;

-- audit_ids are the rows of a batch in their order, and which of them are events. newest_audit_id
-- is the greatest number of this batch and of all before. No row with a number of at most
-- settled_audit_id can still appear. transaction_id is that of the transaction that
-- inserted the row, on a server that numbers them.
CREATE TABLE sealed_batches (
    first_sequence   BIGINT PRIMARY KEY CHECK (first_sequence > 0),
    entries          BIGINT NOT NULL CHECK (entries > 0),
    audit_ids        BYTEA NOT NULL,
    newest_audit_id  BIGINT NOT NULL,
    settled_audit_id BIGINT NOT NULL,
    transaction_id   BIGINT NOT NULL DEFAULT (CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT)),
    first_event      BIGINT NOT NULL CHECK (first_event > 0),
    sealed_at        BIGINT NOT NULL,
    root             BYTEA NOT NULL,
    note             TEXT NOT NULL
);
CREATE INDEX sealed_batches_newest ON sealed_batches (newest_audit_id);
CREATE INDEX sealed_batches_event ON sealed_batches (first_event, first_sequence);

-- The hashes of the tree are one dense list; a row holds those that a batch has added, 32 bytes
-- each.
CREATE TABLE sealed_hashes (
    first_hash BIGINT PRIMARY KEY CHECK (first_hash >= 0),
    hashes     BYTEA NOT NULL
);

-- Up to which sequence the rows of entries were moved to archive files.
CREATE TABLE archived_entries (
    through_sequence BIGINT PRIMARY KEY,
    archived_at      BIGINT NOT NULL
);
