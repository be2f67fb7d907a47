-- What a large deletion leaves to a job, and indexes of lists that read more rows than they showed.
-- erasures are erased customers of whom copies are left, with the kept answer that was read last: of
-- those to callers, then of those to operators. A webhook with deleted_at is deleted, and stands there
-- until its deliveries and attempts are. answers_emptied is the attempt up to which an erasure has
-- emptied the answers. A program of the version before shows a deleted webhook as paused.

-- +goose Up
CREATE TABLE erasures (
    customer_id     INTEGER PRIMARY KEY REFERENCES customers (customer_id),
    to_operators    BOOLEAN NOT NULL DEFAULT FALSE,
    key_name        TEXT NOT NULL DEFAULT '',
    route           TEXT NOT NULL DEFAULT '',
    idempotency_key TEXT NOT NULL DEFAULT ''
);
ALTER TABLE webhooks ADD COLUMN deleted_at BIGINT;
ALTER TABLE webhooks ADD COLUMN answers_emptied BIGINT NOT NULL DEFAULT 0;
CREATE INDEX deliveries_state ON deliveries (webhook_id, state, event);
CREATE INDEX documents_in_force ON documents (bank_id, effective_at, expires_at);
