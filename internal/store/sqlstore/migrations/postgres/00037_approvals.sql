-- An approval ends as done, rejected, withdrawn or lapsed, and keeps itself whether its act was begun:
-- begun_at is when the first transaction of the act was kept. owner_kind and owner_id say who stands
-- behind the operator or the token that asked, as in operator_tokens; ended_kind ('operator' or 'token')
-- and ended_id say who ended it. They are empty in the rows of a program of the version before, which
-- writes 'approved' before an act and leaves it there behind it.
-- Contracts: the CHECK of approvals.state, which names more states now. The version before writes only
-- those that it knows.

-- +goose Up
ALTER TABLE approvals
    ADD COLUMN owner_kind TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN owner_id   BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN ended_kind TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN ended_id   BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN begun_at   BIGINT,
    DROP CONSTRAINT approvals_state_check,
    ADD CONSTRAINT approvals_state_check CHECK (state = 'waiting' OR state = 'approved'
        OR state = 'done' OR state = 'rejected' OR state = 'withdrawn');
UPDATE approvals SET
    owner_kind = CASE WHEN COALESCE((asked_by::JSONB ->> 'IsToken')::BOOLEAN, FALSE)
        THEN '' ELSE 'operator' END,
    owner_id = CASE WHEN COALESCE((asked_by::JSONB ->> 'IsToken')::BOOLEAN, FALSE) THEN 0
        ELSE COALESCE((asked_by::JSONB ->> 'ID')::BIGINT, 0) END,
    begun_at = (SELECT MIN(answered_at) FROM operator_answers
        WHERE route = 'approvals' AND idempotency_key = 'approval:' || approval_id);
CREATE INDEX approvals_owner ON approvals (owner_kind, owner_id, approval_id);
CREATE INDEX approvals_lapses ON approvals (lapses_at);
