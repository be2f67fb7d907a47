-- Lists of card numbers that have become known, by the cards that they belong to; the numbers are kept
-- nowhere. digest is keyed. statuses counts the cards by their status when they were found, outcomes
-- those that were handled by what came of them, both as JSON: see package compromise. A row of
-- compromised_cards is a batch of cards, as JSON, from a place on.

-- +goose Up
CREATE TABLE compromises (
    compromise_id INTEGER PRIMARY KEY AUTOINCREMENT
        CHECK (compromise_id BETWEEN 1 AND 2147483647),
    program_id BIGINT NOT NULL REFERENCES programs (program_id),
    name       TEXT NOT NULL CHECK (name <> ''),
    act        TEXT NOT NULL CHECK (act IN ('lock', 'replace')),
    per_day    BIGINT NOT NULL CHECK (per_day >= 0),
    digest     TEXT NOT NULL,
    made_at    BIGINT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id   BIGINT NOT NULL,
    actor_name TEXT NOT NULL,
    reason     TEXT NOT NULL,
    numbers    BIGINT NOT NULL,
    cards      BIGINT NOT NULL CHECK (cards <= numbers),
    statuses   TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'paused', 'done')),
    outcomes   TEXT NOT NULL,
    day        TEXT NOT NULL,
    of_day     BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    revision   BIGINT NOT NULL DEFAULT 1,
    UNIQUE (program_id, act, digest)
);
CREATE INDEX compromises_program ON compromises (program_id, compromise_id);
CREATE INDEX compromises_running ON compromises (compromise_id) WHERE state = 'running';

CREATE TABLE compromised_cards (
    compromise_id BIGINT NOT NULL REFERENCES compromises (compromise_id),
    place         BIGINT NOT NULL CHECK (place >= 0),
    cards         TEXT NOT NULL,
    PRIMARY KEY (compromise_id, place)
);
