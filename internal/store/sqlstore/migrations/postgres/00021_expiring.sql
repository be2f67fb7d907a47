-- Which Verified cards of a program expire in a month, and which documents come into force or
-- expire at a moment. The indexes are built without locking out those who write, which no
-- transaction may contain.

-- +goose NO TRANSACTION
-- +goose Up
CREATE INDEX CONCURRENTLY IF NOT EXISTS cards_expiring
    ON cards (program_id, expire_year, expire_month, card_id) WHERE status = 'Verified';
CREATE INDEX CONCURRENTLY IF NOT EXISTS documents_effective ON documents (effective_at);
CREATE INDEX CONCURRENTLY IF NOT EXISTS documents_expires ON documents (expires_at)
    WHERE expires_at IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS programs_bank ON programs (bank_id);
