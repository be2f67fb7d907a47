-- What the desk finds authorizations by, the newest first: of a card, of a program, declined
-- ones, and those that Mintmark declined or would have declined for a reason.
-- An index is built without locking out those who write, which no transaction may contain.

-- +goose NO TRANSACTION
-- +goose Up
CREATE INDEX CONCURRENTLY IF NOT EXISTS authorizations_card ON authorizations
    (card_id, decided_at, authorization_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS authorizations_program ON authorizations
    (program_id, decided_at, authorization_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS authorizations_declined ON authorizations
    (program_id, decided_at, authorization_id)
    WHERE advised_amount = 0 AND (reason <> 'approved' OR advised_by <> '');
CREATE INDEX CONCURRENTLY IF NOT EXISTS authorizations_reason ON authorizations
    (program_id, reason, decided_at, authorization_id) WHERE reason <> 'approved';
