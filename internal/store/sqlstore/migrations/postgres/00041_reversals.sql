-- What a processor decided alone, and what it took back. A row of authorizations may be an advice or
-- the mark of a reversal: request_digest is then empty, and of a mark kind, too. account_id is that of
-- the hold, also when the request was declined and an advice has placed it. approved_amount is 0 in
-- older rows, where it is the amount; advised_amount is 0 when the advice says declined. grown,
-- reversed and posted are what has happened beside the decision.
-- later are the parts of a hold that count on later days; emptied says that a hold ended because
-- nothing was left in it. A program of the version before gives a hold that has grown back on its
-- first day, takes a mark for a request with another body, and knows no currency of a program.
-- Contracts: the CHECKs of kind, amount, reason and account_id, which allow more now.

-- +goose Up
ALTER TABLE authorizations
    DROP CONSTRAINT authorizations_kind_check,
    DROP CONSTRAINT authorizations_amount_check,
    DROP CONSTRAINT authorizations_reason_check,
    DROP CONSTRAINT authorizations_check,
    ADD COLUMN customer_id     BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN approved_amount BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN details         TEXT NOT NULL DEFAULT '{}',
    ADD COLUMN root_id         TEXT NOT NULL DEFAULT '',
    ADD COLUMN advice_digest   BYTEA NOT NULL DEFAULT '',
    ADD COLUMN advised_by      TEXT NOT NULL DEFAULT ''
        CHECK (advised_by IN ('', 'standIn', 'network')),
    ADD COLUMN advised_amount  BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN would_have      TEXT NOT NULL DEFAULT '',
    ADD COLUMN grown           BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN reversed        BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN posted          BIGINT NOT NULL DEFAULT 0;
ALTER TABLE authorizations
    ADD CONSTRAINT authorizations_kind_check
        CHECK (kind IN ('', 'purchase', 'withdrawal', 'deposit')),
    ADD CONSTRAINT authorizations_amount_check
        CHECK (amount > 0 OR kind = '' AND amount = 0),
    ADD CONSTRAINT authorizations_reason_check CHECK (reason IN (
        'reversed', 'unknownCard', 'cardStatus', 'locked', 'expired', 'customer', 'currency',
        'limit', 'noAccount', 'insufficientFunds', 'approved')),
    ADD CONSTRAINT authorizations_check
        CHECK (advised_by <> '' OR (reason = 'approved') = (account_id <> 0));

ALTER TABLE holds ADD COLUMN later TEXT NOT NULL DEFAULT 'null';
ALTER TABLE holds ADD COLUMN particulars TEXT NOT NULL DEFAULT '{}';
ALTER TABLE hold_ends ADD COLUMN emptied BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE hold_ends ADD COLUMN authorization_id TEXT NOT NULL DEFAULT '';
ALTER TABLE programs ADD COLUMN currency TEXT NOT NULL DEFAULT '';

CREATE TABLE reversals (
    reversal_id      TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (reversal_id <> ''),
    request_digest   BYTEA NOT NULL,
    authorization_id TEXT NOT NULL,
    result           TEXT NOT NULL CHECK (result IN (
        'reversed', 'partlyReversed', 'nothingHeld', 'unknown')),
    happened_at      BIGINT,
    reversed_at      BIGINT NOT NULL
);
CREATE INDEX reversals_marks ON reversals (reversed_at) WHERE result = 'unknown';
