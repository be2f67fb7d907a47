-- The numbered files that are exchanged with the card processor. The text of a file to the
-- processor is kept until it is written, so that a file that was half written is written again,
-- byte for byte.

-- +goose Up
CREATE TABLE processor_files (
    direction  TEXT NOT NULL CHECK (direction IN ('orders', 'reports')),
    sequence   BIGINT NOT NULL CHECK (sequence > 0),
    line_count BIGINT NOT NULL CHECK (line_count > 0),
    digest     TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    text       BLOB,
    ended_at   BIGINT,
    PRIMARY KEY (direction, sequence)
);
CREATE INDEX processor_files_unwritten ON processor_files (sequence) WHERE text IS NOT NULL;
