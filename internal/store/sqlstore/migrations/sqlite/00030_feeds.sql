-- How far the sources are that feed customers and accounts into programs, a row for each source and
-- program. sequence is that of the file that was applied last. running is that of the file that is
-- being applied, 0 for none: its lines up to line are applied, and only a file with its digest may
-- go on. report is what the last file has changed and how its control totals compare, as JSON.

-- +goose Up
CREATE TABLE feeds (
    program_id BIGINT NOT NULL REFERENCES programs (program_id),
    source     TEXT NOT NULL,
    sequence   BIGINT NOT NULL,
    running    BIGINT NOT NULL,
    digest     TEXT NOT NULL,
    line       BIGINT NOT NULL,
    report     BLOB NOT NULL,
    changed_at BIGINT NOT NULL,
    revision   BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (program_id, source)
);
