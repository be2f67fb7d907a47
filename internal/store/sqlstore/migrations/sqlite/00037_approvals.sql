-- An approval ends as done, rejected, withdrawn or lapsed, and keeps itself whether its act was begun:
-- begun_at is when the first transaction of the act was kept. owner_kind and owner_id say who stands
-- behind the operator or the token that asked, as in operator_tokens; ended_kind ('operator' or 'token')
-- and ended_id say who ended it. They are empty in the rows of a program of the version before, which
-- writes 'approved' before an act and leaves it there behind it.
-- Contracts: the CHECK of approvals.state, which names more states now. The version before writes only
-- those that it knows.
-- SQLite cannot change a CHECK, so the table is made anew around its rows.

-- +goose Up
CREATE TABLE approvals_next (
    approval_id INTEGER PRIMARY KEY AUTOINCREMENT,
    state       TEXT NOT NULL CHECK (state = 'waiting' OR state = 'approved' OR state = 'done'
        OR state = 'rejected' OR state = 'withdrawn'),
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
    revision    BIGINT NOT NULL DEFAULT 1,
    owner_kind  TEXT NOT NULL DEFAULT '',
    owner_id    BIGINT NOT NULL DEFAULT 0,
    ended_kind  TEXT NOT NULL DEFAULT '',
    ended_id    BIGINT NOT NULL DEFAULT 0,
    begun_at    BIGINT
);
INSERT INTO approvals_next (approval_id, state, act, method, path, body, if_match, roles, program_id,
        bank_id, subject, reason, asked_by, asked_at, lapses_at, ended_by, ended_at, why, status,
        result, revision, owner_kind, owner_id, begun_at)
    SELECT approval_id, state, act, method, path, body, if_match, roles, program_id, bank_id, subject,
        reason, asked_by, asked_at, lapses_at, ended_by, ended_at, why, status, result, revision,
        CASE WHEN COALESCE(json_extract(asked_by, '$.IsToken'), 0) THEN '' ELSE 'operator' END,
        CASE WHEN COALESCE(json_extract(asked_by, '$.IsToken'), 0) THEN 0
            ELSE COALESCE(json_extract(asked_by, '$.ID'), 0) END,
        (SELECT answered_at FROM operator_answers
            WHERE route = 'approvals' AND idempotency_key = 'approval:' || approval_id)
    FROM approvals;
DROP TABLE approvals;
ALTER TABLE approvals_next RENAME TO approvals;
CREATE INDEX approvals_waiting ON approvals (lapses_at) WHERE state = 'waiting';
CREATE INDEX approvals_unread ON approvals (ended_at) WHERE result IS NOT NULL;
CREATE INDEX approvals_owner ON approvals (owner_kind, owner_id, approval_id);
CREATE INDEX approvals_lapses ON approvals (lapses_at);
