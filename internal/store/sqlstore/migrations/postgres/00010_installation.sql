-- Which environment a database belongs to, and the fingerprints of the keys that open what is in it.
-- There is one row, and none in a database that was never given to an environment.

-- +goose Up
CREATE TABLE installation (
    one_row             BIGINT PRIMARY KEY CHECK (one_row = 1),
    environment         TEXT NOT NULL CHECK (environment IN ('production', 'sandbox')),
    keyset_fingerprint  TEXT NOT NULL CHECK (keyset_fingerprint <> ''),
    pin_key_fingerprint TEXT NOT NULL CHECK (pin_key_fingerprint <> ''),
    made_at             BIGINT NOT NULL
);
