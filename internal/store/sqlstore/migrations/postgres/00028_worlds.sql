-- What a sandbox keeps beside its data; production has no row in these tables.
-- sandbox is one row: the number of the world (see store.Worlds), the note of the one that was put
-- back last, and how business time differs from that of the engine: nanoseconds that are added, or
-- the moment at which it stands still, as text.
-- sandbox_worlds are the worlds that were kept, each with the version of the tables that its copies
-- were made of. The copies are tables that are made when the first world is kept: sandbox_28_cards
-- are the cards of all worlds that were kept by this version. sandbox_numbers are the numbers that
-- each table gives next.

-- +goose Up
CREATE TABLE sandbox (
    one_row    BIGINT PRIMARY KEY CHECK (one_row = 1),
    generation BIGINT NOT NULL DEFAULT 0,
    note       BYTEA,
    settings   BIGINT NOT NULL DEFAULT 0,
    ahead      BIGINT NOT NULL DEFAULT 0,
    frozen_at  TEXT COLLATE "C" NOT NULL DEFAULT ''
);

CREATE TABLE sandbox_worlds (
    world_id       BIGINT NOT NULL PRIMARY KEY,
    name           TEXT COLLATE "C" NOT NULL UNIQUE,
    made_at        BIGINT NOT NULL,
    schema_version BIGINT NOT NULL,
    note           BYTEA NOT NULL
);

CREATE TABLE sandbox_numbers (
    world_id BIGINT NOT NULL REFERENCES sandbox_worlds (world_id),
    source   TEXT COLLATE "C" NOT NULL,
    next     BIGINT NOT NULL,
    PRIMARY KEY (world_id, source)
);
