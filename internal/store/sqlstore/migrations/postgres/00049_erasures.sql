-- What a large deletion leaves to a job, and indexes of lists that read more rows than they showed.
-- erasures are erased customers of whom copies are left, with the kept answer that was read last: of
-- those to callers, then of those to operators. A webhook with deleted_at is deleted, and stands there
-- until its deliveries and attempts are. answers_emptied is the attempt up to which an erasure has
-- emptied the answers. A program of the version before shows a deleted webhook as paused.
-- An index is built without locking out those who write, which no transaction may contain.

-- +goose NO TRANSACTION
-- +goose Up
CREATE TABLE IF NOT EXISTS erasures (
    customer_id     BIGINT NOT NULL PRIMARY KEY REFERENCES customers (customer_id),
    to_operators    BOOLEAN NOT NULL DEFAULT FALSE,
    key_name        TEXT NOT NULL DEFAULT '',
    route           TEXT NOT NULL DEFAULT '',
    idempotency_key TEXT NOT NULL DEFAULT ''
);
ALTER TABLE webhooks ADD COLUMN IF NOT EXISTS deleted_at BIGINT;
ALTER TABLE webhooks ADD COLUMN IF NOT EXISTS answers_emptied BIGINT NOT NULL DEFAULT 0;
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_state ON deliveries (webhook_id, state, event);
CREATE INDEX CONCURRENTLY IF NOT EXISTS documents_in_force
    ON documents (bank_id, effective_at, expires_at);
