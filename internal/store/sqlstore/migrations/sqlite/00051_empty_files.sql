-- A file of reports may announce no report: line_count may be 0.
-- Contracts: the CHECK of processor_files.line_count, which allows 0 now. The version before writes
-- only files with lines, and reads both.
-- SQLite cannot change a CHECK, so the table is made anew around its rows.

-- +goose Up
CREATE TABLE processor_files_next (
    direction  TEXT NOT NULL CHECK (direction IN ('orders', 'reports')),
    sequence   BIGINT NOT NULL CHECK (sequence > 0),
    line_count BIGINT NOT NULL CHECK (line_count >= 0),
    digest     TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    text       BLOB,
    ended_at   BIGINT,
    PRIMARY KEY (direction, sequence)
);
INSERT INTO processor_files_next (direction, sequence, line_count, digest, created_at, text, ended_at)
    SELECT direction, sequence, line_count, digest, created_at, text, ended_at FROM processor_files;
DROP TABLE processor_files;
ALTER TABLE processor_files_next RENAME TO processor_files;
CREATE INDEX processor_files_unwritten ON processor_files (sequence) WHERE text IS NOT NULL;
