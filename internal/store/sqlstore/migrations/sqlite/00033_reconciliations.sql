-- What came of comparing lists with what is kept here: cards with the list of the card processor,
-- balances with that of the core banking system. list_at is as of when the list is, made_at when it
-- was compared. same counts what is equal. sorts counts the differences by their sort, and
-- differences holds those with the smallest numbers, both as JSON: see package reconciled.
-- orders_created finds the orders of a day.

-- +goose Up
CREATE TABLE reconciliations (
    reconciliation_id INTEGER PRIMARY KEY AUTOINCREMENT
        CHECK (reconciliation_id BETWEEN 1 AND 2147483647),
    program_id  BIGINT NOT NULL REFERENCES programs (program_id),
    kind        TEXT NOT NULL CHECK (kind IN ('cards', 'balances')),
    list_at     BIGINT NOT NULL,
    made_at     BIGINT NOT NULL,
    digest      TEXT NOT NULL,
    who         TEXT NOT NULL,
    compared    BIGINT NOT NULL,
    same        BIGINT NOT NULL,
    in_flight   BIGINT NOT NULL,
    different   BIGINT NOT NULL,
    sorts       TEXT NOT NULL,
    differences TEXT NOT NULL,
    CHECK (compared = same + in_flight + different)
);
CREATE INDEX reconciliations_newest ON reconciliations (program_id, kind, reconciliation_id);
CREATE INDEX orders_created ON orders (created_at);
