-- Acts of operators that another operator has to confirm, and the answers that are given again to
-- requests with an idempotency key. A program of the version before knows neither table.

-- +goose Up
CREATE TABLE approvals (
    approval_id INTEGER PRIMARY KEY AUTOINCREMENT,
    state       TEXT NOT NULL
        CHECK (state = 'waiting' OR state = 'approved' OR state = 'rejected'),
    act         TEXT NOT NULL CHECK (act <> ''),
    method      TEXT NOT NULL,
    path        TEXT NOT NULL,
    body        BLOB NOT NULL,
    if_match    BIGINT NOT NULL,
    roles       TEXT NOT NULL, -- of which the act needs one, a JSON list
    program_id  BIGINT NOT NULL, -- 0 for an act that belongs to none
    bank_id     BIGINT NOT NULL, -- 0 for an act that belongs to none
    subject     TEXT NOT NULL,
    reason      TEXT NOT NULL,
    asked_by    TEXT NOT NULL, -- who has asked, with roles and scope of that moment, a JSON object
    asked_at    BIGINT NOT NULL,
    lapses_at   BIGINT NOT NULL,
    ended_by    TEXT NOT NULL,
    ended_at    BIGINT CHECK (ended_at IS NULL OR state <> 'waiting'),
    why         TEXT NOT NULL,
    status      BIGINT NOT NULL, -- of the answer to the act, 0 before there is one
    result      BLOB, -- that answer, sealed, until who has asked reads it
    revision    BIGINT NOT NULL DEFAULT 1
);
CREATE INDEX approvals_waiting ON approvals (lapses_at) WHERE state = 'waiting';
CREATE INDEX approvals_unread ON approvals (ended_at) WHERE result IS NOT NULL;

-- http_status is 0 from the act on until its answer is stored.
CREATE TABLE operator_answers (
    operator        TEXT NOT NULL,
    route           TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body_digest     BLOB NOT NULL,
    http_status     BIGINT NOT NULL,
    answer          BLOB NOT NULL,
    answered_at     BIGINT NOT NULL,
    PRIMARY KEY (operator, route, idempotency_key)
);
CREATE INDEX operator_answers_answered ON operator_answers (answered_at);
