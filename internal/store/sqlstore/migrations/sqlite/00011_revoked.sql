-- Keys that are revoked, and the digests of secrets that no key may ever have again.

-- +goose Up
ALTER TABLE api_keys ADD COLUMN revoked_at BIGINT;

CREATE TABLE retired_secrets (
    digest     BLOB NOT NULL PRIMARY KEY,
    key_name   TEXT NOT NULL,
    retired_at BIGINT NOT NULL
);
