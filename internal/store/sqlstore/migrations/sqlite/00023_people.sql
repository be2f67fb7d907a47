-- Operators: people who sign in to the console, what they sign in with, links that can be used once,
-- the tokens of programs, sessions of the console, and the sign-ins of the last quarter of an hour
-- that have failed. Texts that open something are kept as keyed digests. A program of the version
-- before knows none of these tables.

-- +goose Up
CREATE TABLE operators (
    operator_id     INTEGER PRIMARY KEY AUTOINCREMENT,
    name            TEXT NOT NULL UNIQUE CHECK (name <> ''),
    roles           TEXT NOT NULL,
    all_banks       BOOLEAN NOT NULL,
    banks           TEXT NOT NULL,
    state           TEXT NOT NULL CHECK (state = 'invited' OR state = 'active' OR state = 'ended'),
    openid          TEXT UNIQUE, -- issuer and subject
    created_at      BIGINT NOT NULL,
    last_sign_in_at BIGINT,
    sessions_since  BIGINT,
    revision        BIGINT NOT NULL DEFAULT 1
);

CREATE TABLE operator_credentials (
    operator_id BIGINT NOT NULL PRIMARY KEY REFERENCES operators (operator_id),
    password    TEXT NOT NULL, -- its argon2id hash
    totp        BLOB, -- sealed
    last_step   BIGINT NOT NULL
);

CREATE TABLE invitations (
    operator_id BIGINT NOT NULL PRIMARY KEY REFERENCES operators (operator_id),
    digest      BLOB NOT NULL UNIQUE,
    totp        BLOB NOT NULL, -- sealed
    expires_at  BIGINT NOT NULL
);

CREATE TABLE operator_tokens (
    token_id     INTEGER PRIMARY KEY AUTOINCREMENT,
    name         TEXT NOT NULL UNIQUE CHECK (name <> ''),
    digest       BLOB NOT NULL UNIQUE,
    roles        TEXT NOT NULL,
    all_banks    BOOLEAN NOT NULL,
    banks        TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT,
    revoked_at   BIGINT,
    last_used_at BIGINT,
    revision     BIGINT NOT NULL DEFAULT 1
);

CREATE TABLE console_sessions (
    digest     BLOB NOT NULL PRIMARY KEY,
    data       BLOB NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX console_sessions_expires ON console_sessions (expires_at);

CREATE TABLE sign_ins (
    sign_in_id INTEGER PRIMARY KEY AUTOINCREMENT,
    account    TEXT NOT NULL,
    address    TEXT NOT NULL,
    tried_at   BIGINT NOT NULL
);
CREATE INDEX sign_ins_account ON sign_ins (account, tried_at);
CREATE INDEX sign_ins_address ON sign_ins (address, tried_at);
CREATE INDEX sign_ins_tried ON sign_ins (tried_at);
