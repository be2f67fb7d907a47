-- What the total of a program's day has lent to shares, so that transfers that run side by side do not
-- all change one row. Few shares go on a page: one that changes stays there, and others are not on
-- it. A program of the version before knows the total alone, and takes what is lent for used.

-- +goose Up
CREATE TABLE usage_shares (
    program_id BIGINT NOT NULL,
    lane       BIGINT NOT NULL,
    direction  TEXT NOT NULL CHECK (direction IN ('withdraw', 'deposit')),
    day        BIGINT NOT NULL,
    rest       BIGINT NOT NULL CHECK (rest >= 0),
    revision   BIGINT NOT NULL,
    PRIMARY KEY (program_id, lane, direction)
) WITH (fillfactor = 10);
