-- Settings of programs that only operators see, empty for their defaults; how the jobs have fared,
-- a row for each; what a job has told once and must not tell again.

-- +goose Up
ALTER TABLE programs ADD COLUMN renewal TEXT NOT NULL DEFAULT ''
    CHECK (renewal IN ('', 'automatic', 'manual'));
ALTER TABLE programs ADD COLUMN balances TEXT NOT NULL DEFAULT ''
    CHECK (balances IN ('', 'core', 'mintmark'));

CREATE TABLE jobs (
    name      TEXT NOT NULL PRIMARY KEY CHECK (name <> ''),
    node      TEXT NOT NULL,
    began_at  BIGINT NOT NULL,
    ended_at  BIGINT, -- of the last run that has ended
    done      BOOLEAN NOT NULL, -- whether that run did its work
    next_at   BIGINT NOT NULL,
    error     TEXT NOT NULL, -- of the last run that has failed
    failed_at BIGINT
);

CREATE TABLE notices (
    kind     TEXT NOT NULL CHECK (kind <> ''),
    subject  TEXT NOT NULL,
    moment   BIGINT NOT NULL,
    noted_at BIGINT NOT NULL,
    PRIMARY KEY (kind, subject, moment)
);

-- What came to pass before this version is no news. A moment that lies ahead will be.
INSERT INTO notices (kind, subject, moment, noted_at)
    SELECT 'document effective', CAST(d.document_id AS TEXT) || '/' || CAST(p.program_id AS TEXT),
        d.effective_at, d.effective_at
    FROM documents d JOIN programs p ON p.bank_id = d.bank_id
    WHERE d.effective_at <= CAST(strftime('%s', 'now') AS INTEGER) * 1000;
INSERT INTO notices (kind, subject, moment, noted_at)
    SELECT 'document expired', CAST(d.document_id AS TEXT) || '/' || CAST(p.program_id AS TEXT),
        d.expires_at, d.expires_at
    FROM documents d JOIN programs p ON p.bank_id = d.bank_id
    WHERE d.expires_at <= CAST(strftime('%s', 'now') AS INTEGER) * 1000;
