-- What the desk finds authorizations by, the newest first: of a card, of a program, declined
-- ones, and those that Mintmark declined or would have declined for a reason.

-- +goose Up
CREATE INDEX authorizations_card ON authorizations (card_id, decided_at, authorization_id);
CREATE INDEX authorizations_program ON authorizations (program_id, decided_at, authorization_id);
CREATE INDEX authorizations_declined ON authorizations (program_id, decided_at, authorization_id)
    WHERE advised_amount = 0 AND (reason <> 'approved' OR advised_by <> '');
CREATE INDEX authorizations_reason ON authorizations
    (program_id, reason, decided_at, authorization_id) WHERE reason <> 'approved';
