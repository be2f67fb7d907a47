-- Which Verified cards of a program expire in a month, and which documents come into force or
-- expire at a moment.

-- +goose Up
CREATE INDEX cards_expiring ON cards (program_id, expire_year, expire_month, card_id)
    WHERE status = 'Verified';
CREATE INDEX documents_effective ON documents (effective_at);
CREATE INDEX documents_expires ON documents (expires_at)
    WHERE expires_at IS NOT NULL;
CREATE INDEX programs_bank ON programs (bank_id);
