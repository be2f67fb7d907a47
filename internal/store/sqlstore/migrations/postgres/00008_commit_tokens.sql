-- What a transaction writes last, so that somebody who was not answered can ask whether it was kept.
-- A token is drawn for each transaction and begins with the time; whoever asks for one that is not
-- there writes it himself (settled), so that the transaction can no longer be kept. Tokens go after
-- minutes, by the thousand, so the table is to be swept often, and as a whole.

-- +goose Up
CREATE TABLE commit_tokens (
    token   UUID NOT NULL PRIMARY KEY,
    settled BOOLEAN NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0.5);
