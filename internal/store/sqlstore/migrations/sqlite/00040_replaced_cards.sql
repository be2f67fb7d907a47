-- replaces is the card that a card was made for, replaced_by the card that was made for it, 0 for none:
-- older rows do not know, and a card that a program of the version before replaces does not, either.

-- +goose Up
ALTER TABLE cards ADD COLUMN replaces BIGINT NOT NULL DEFAULT 0;
ALTER TABLE cards ADD COLUMN replaced_by BIGINT NOT NULL DEFAULT 0;
