-- What the total of a program's day has lent to shares. This database lends nothing: transfers come
-- one after the other.

-- +goose Up
CREATE TABLE usage_shares (
    program_id BIGINT NOT NULL,
    lane       BIGINT NOT NULL,
    direction  TEXT NOT NULL CHECK (direction IN ('withdraw', 'deposit')),
    day        BIGINT NOT NULL,
    rest       BIGINT NOT NULL CHECK (rest >= 0),
    revision   BIGINT NOT NULL,
    PRIMARY KEY (program_id, lane, direction)
);
