-- A program that moves to another installation is fenced: its callers and the card processor are
-- answered that the service is not available. fenced_at is since when, NULL without a fence. A program
-- of the version before answers them as ever.

-- +goose Up
ALTER TABLE programs ADD COLUMN fenced_at BIGINT;
