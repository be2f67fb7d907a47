-- What a processor decided alone, and what it took back. A row of authorizations may be an advice or
-- the mark of a reversal: request_digest is then empty, and of a mark kind, too. account_id is that of
-- the hold, also when the request was declined and an advice has placed it. approved_amount is 0 in
-- older rows, where it is the amount; advised_amount is 0 when the advice says declined. grown,
-- reversed and posted are what has happened beside the decision.
-- later are the parts of a hold that count on later days; emptied says that a hold ended because
-- nothing was left in it. A program of the version before gives a hold that has grown back on its
-- first day, takes a mark for a request with another body, and knows no currency of a program.
-- Contracts: the CHECKs of kind, amount, reason and account_id, which allow more now.
-- SQLite cannot change a CHECK, so the table is made anew around its rows.

-- +goose Up
CREATE TABLE authorizations_next (
    authorization_id TEXT NOT NULL PRIMARY KEY CHECK (authorization_id <> ''),
    request_digest   BLOB NOT NULL,
    program_id       BIGINT NOT NULL, -- 0 when the card is unknown
    card_id          BIGINT NOT NULL,
    kind             TEXT NOT NULL CHECK (kind IN ('', 'purchase', 'withdrawal', 'deposit')),
    category         TEXT NOT NULL CHECK (category IN ('', 'Checking', 'Savings')),
    amount           BIGINT NOT NULL CHECK (amount > 0 OR kind = '' AND amount = 0),
    currency         TEXT NOT NULL,
    reason           TEXT NOT NULL CHECK (reason IN (
        'reversed', 'unknownCard', 'cardStatus', 'locked', 'expired', 'customer', 'currency',
        'limit', 'noAccount', 'insufficientFunds', 'approved')),
    account_id       BIGINT NOT NULL,
    happened_at      BIGINT,
    decided_at       BIGINT NOT NULL,
    customer_id      BIGINT NOT NULL DEFAULT 0,
    approved_amount  BIGINT NOT NULL DEFAULT 0,
    details          TEXT NOT NULL DEFAULT '{}',
    root_id          TEXT NOT NULL DEFAULT '',
    advice_digest    BLOB NOT NULL DEFAULT x'',
    advised_by       TEXT NOT NULL DEFAULT '' CHECK (advised_by IN ('', 'standIn', 'network')),
    advised_amount   BIGINT NOT NULL DEFAULT 0,
    would_have       TEXT NOT NULL DEFAULT '',
    grown            BIGINT NOT NULL DEFAULT 0,
    reversed         BIGINT NOT NULL DEFAULT 0,
    posted           BIGINT NOT NULL DEFAULT 0,
    CHECK (advised_by <> '' OR (reason = 'approved') = (account_id <> 0))
);
INSERT INTO authorizations_next (authorization_id, request_digest, program_id, card_id, kind,
        category, amount, currency, reason, account_id, happened_at, decided_at)
    SELECT authorization_id, request_digest, program_id, card_id, kind, category, amount, currency,
        reason, account_id, happened_at, decided_at
    FROM authorizations;
DROP TABLE authorizations;
ALTER TABLE authorizations_next RENAME TO authorizations;

ALTER TABLE holds ADD COLUMN later TEXT NOT NULL DEFAULT 'null';
ALTER TABLE holds ADD COLUMN particulars TEXT NOT NULL DEFAULT '{}';
ALTER TABLE hold_ends ADD COLUMN emptied BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE hold_ends ADD COLUMN authorization_id TEXT NOT NULL DEFAULT '';
ALTER TABLE programs ADD COLUMN currency TEXT NOT NULL DEFAULT '';

CREATE TABLE reversals (
    reversal_id      TEXT NOT NULL PRIMARY KEY CHECK (reversal_id <> ''),
    request_digest   BLOB NOT NULL,
    authorization_id TEXT NOT NULL,
    result           TEXT NOT NULL CHECK (result IN (
        'reversed', 'partlyReversed', 'nothingHeld', 'unknown')),
    happened_at      BIGINT,
    reversed_at      BIGINT NOT NULL
);
CREATE INDEX reversals_marks ON reversals (reversed_at) WHERE result = 'unknown';
