-- Counts by the hour, which charts are drawn of. hour counts from 1970. item is the webhook or the API
-- key that a count is of. A row without a chart says how far the source label is counted: up to which
-- event, or which moment.

-- +goose Up
CREATE TABLE hourly (
    chart      TEXT NOT NULL,
    program_id BIGINT NOT NULL, -- 0 for an unknown card
    hour       BIGINT NOT NULL,
    item       TEXT NOT NULL DEFAULT '',
    label      TEXT NOT NULL,
    count      BIGINT NOT NULL CHECK (count >= 0),
    PRIMARY KEY (chart, program_id, hour, item, label)
);
CREATE INDEX hourly_old ON hourly (hour) WHERE chart <> '';
