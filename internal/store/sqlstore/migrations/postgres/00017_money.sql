-- Card-based transfers: what the processor has asked about, the holds that stand, how others have
-- ended, the postings, and the sums that limits are compared with. Amounts are whole
-- ten-thousandths; a day is written as 20260131.
-- These tables refer to no other: the act that writes a row has read its card and its account in
-- the same serializable transaction, and neither is ever deleted.

-- +goose Up
-- The sum of the holds that stand. A program of the version before neither reads nor writes it:
-- available_balance is therefore kept before the holds, and lowered by them when it is read.
ALTER TABLE accounts ADD COLUMN held BIGINT NOT NULL DEFAULT 0;
-- Room on the page, so that an account whose balance changes stays in its place in every index.
ALTER TABLE accounts SET (fillfactor = 70);

CREATE TABLE authorizations (
    authorization_id TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (authorization_id <> ''),
    request_digest   BYTEA NOT NULL,
    program_id       BIGINT NOT NULL, -- 0 when the card is unknown
    card_id          BIGINT NOT NULL,
    kind             TEXT NOT NULL CHECK (kind IN ('purchase', 'withdrawal', 'deposit')),
    category         TEXT NOT NULL CHECK (category IN ('', 'Checking', 'Savings')),
    amount           BIGINT NOT NULL CHECK (amount > 0),
    currency         TEXT NOT NULL,
    reason           TEXT NOT NULL CHECK (reason IN (
        'unknownCard', 'cardStatus', 'locked', 'expired', 'customer', 'limit', 'noAccount',
        'insufficientFunds', 'approved')),
    account_id       BIGINT NOT NULL,
    happened_at      BIGINT,
    decided_at       BIGINT NOT NULL,
    CHECK ((reason = 'approved') = (account_id <> 0))
);

-- Only holds that stand are here. The identifiers of a card's holds begin alike, so that they are
-- neighbors. A hold that ends is deleted, and its end is inserted: a row that
-- changed would be entered again in every index.
CREATE TABLE holds (
    hold_id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    authorization_id TEXT NOT NULL,
    program_id       BIGINT NOT NULL,
    customer_id      BIGINT NOT NULL,
    card_id          BIGINT NOT NULL,
    account_id       BIGINT NOT NULL,
    kind             TEXT NOT NULL CHECK (kind IN ('purchase', 'withdrawal', 'deposit')),
    amount           BIGINT NOT NULL CHECK (amount > 0),
    counted_day      BIGINT NOT NULL,
    placed_at        BIGINT NOT NULL,
    ends_at          BIGINT NOT NULL CHECK (ends_at >= placed_at)
);
CREATE INDEX holds_due ON holds (program_id, ends_at);

CREATE TABLE hold_ends (
    hold_id    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    program_id BIGINT NOT NULL,
    card_id    BIGINT NOT NULL,
    account_id BIGINT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('purchase', 'withdrawal', 'deposit')),
    ended_by   TEXT NOT NULL CHECK (ended_by IN ('posted', 'released', 'expired')),
    posting_id TEXT NOT NULL,
    ended_at   BIGINT NOT NULL,
    CHECK ((ended_by = 'posted') = (posting_id <> ''))
);

CREATE TABLE postings (
    posting_id     TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (posting_id <> ''),
    request_digest BYTEA NOT NULL,
    hold_id        TEXT NOT NULL, -- empty without one
    program_id     BIGINT NOT NULL,
    customer_id    BIGINT NOT NULL,
    card_id        BIGINT NOT NULL,
    account_id     BIGINT NOT NULL,
    kind           TEXT NOT NULL CHECK (kind IN ('purchase', 'withdrawal', 'deposit')),
    amount         BIGINT NOT NULL CHECK (amount > 0),
    posted_at      BIGINT NOT NULL
);

-- One row for each user and direction, changed in place, because many rows of a day in one index
-- would let transactions of different users collide on its pages. Customer 0 is the whole program.
CREATE TABLE usages (
    program_id  BIGINT NOT NULL,
    customer_id BIGINT NOT NULL,
    direction   TEXT NOT NULL CHECK (direction IN ('withdraw', 'deposit')),
    day         BIGINT NOT NULL,
    of_day      BIGINT NOT NULL CHECK (of_day >= 0),
    of_month    BIGINT NOT NULL CHECK (of_month >= 0),
    revision    BIGINT NOT NULL,
    PRIMARY KEY (program_id, customer_id, direction)
) WITH (fillfactor = 50);
