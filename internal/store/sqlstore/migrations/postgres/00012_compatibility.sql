-- The habits of earlier clients that answers to a key keep to: a JSON list of texts, or null for
-- none, which is also what a program of the version before leaves behind.

-- +goose Up
ALTER TABLE api_keys ADD COLUMN compatibility TEXT NOT NULL DEFAULT 'null';
