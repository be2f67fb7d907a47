-- Orders to the card processor get what a dispatcher needs: how far each has come, what it says, who
-- is sending it, when it is tried next. cards.orders counts the orders of a card, which numbers them
-- without a look at others; it is -1 where orders of the version before may have no number. Those
-- orders get their numbers and the random part of their public identifier when they are claimed.
-- SQLite cannot change a CHECK, so the table is made anew around its rows. For an IN of more than two
-- values it builds a table at each INSERT, so the CHECKs are chains of OR.
-- Contracts: the CHECK of orders.kind, which names more kinds now. The version before writes only
-- those that it knows.

-- +goose Up
CREATE TABLE orders_next (
    order_id       INTEGER PRIMARY KEY AUTOINCREMENT,
    card_id        BIGINT NOT NULL REFERENCES cards (card_id),
    kind           TEXT NOT NULL CHECK (kind = 'card' OR kind = 'renew' OR kind = 'pin'
                       OR kind = 'card.make' OR kind = 'card.remake' OR kind = 'card.lock'
                       OR kind = 'card.unlock' OR kind = 'card.hotlist' OR kind = 'card.close'
                       OR kind = 'card.accounts' OR kind = 'card.pin'),
    sealed_pin     BLOB,
    created_at     BIGINT NOT NULL,
    done_at        BIGINT CHECK (done_at >= created_at),
    pin_expired_at BIGINT
        CHECK (pin_expired_at IS NULL OR sealed_pin IS NULL AND pin_expired_at >= created_at),
    token          TEXT,
    sequence       BIGINT CHECK (sequence > 0),
    state          TEXT NOT NULL DEFAULT 'waiting'
        CHECK (state = 'waiting' OR state = 'sent' OR state = 'done' OR state = 'failed'
            OR state = 'held'),
    urgent         BOOLEAN NOT NULL DEFAULT FALSE,
    snapshot       TEXT NOT NULL DEFAULT '{}',
    expire_month   BIGINT NOT NULL DEFAULT 0,
    expire_year    BIGINT NOT NULL DEFAULT 0,
    attempts       BIGINT NOT NULL DEFAULT 0,
    last_error     TEXT NOT NULL DEFAULT '',
    unreachable    BOOLEAN NOT NULL DEFAULT FALSE,
    next_try_at    BIGINT NOT NULL DEFAULT 0,
    claimed_by     TEXT NOT NULL DEFAULT '',
    begun_at       BIGINT,
    dropped_at     BIGINT,
    revision       BIGINT NOT NULL DEFAULT 1
);
INSERT INTO orders_next (order_id, card_id, kind, sealed_pin, created_at, done_at, pin_expired_at)
    SELECT order_id, card_id, kind, sealed_pin, created_at, done_at, pin_expired_at FROM orders;
DROP TABLE orders;
ALTER TABLE orders_next RENAME TO orders;
CREATE INDEX orders_open ON orders (order_id) WHERE done_at IS NULL;
CREATE INDEX orders_pins ON orders (created_at, order_id) WHERE sealed_pin IS NOT NULL;
CREATE INDEX orders_card ON orders (card_id, done_at, order_id);
CREATE INDEX orders_due ON orders (urgent, next_try_at, order_id)
    WHERE state = 'waiting' AND done_at IS NULL;
CREATE INDEX orders_unreached ON orders (order_id)
    WHERE state = 'waiting' AND done_at IS NULL AND urgent AND unreachable;
CREATE INDEX orders_failed ON orders (order_id) WHERE state = 'failed' AND dropped_at IS NULL;
ALTER TABLE cards ADD COLUMN orders BIGINT NOT NULL DEFAULT -1;

-- A program of the version before writes orders without a number, also for cards whose orders are
-- counted. The count is then kept as -1 less itself, so that the next act numbers those first.
-- +goose StatementBegin
CREATE TRIGGER order_unnumbered AFTER INSERT ON orders WHEN NEW.sequence IS NULL BEGIN
    UPDATE cards SET orders = -1 - orders WHERE card_id = NEW.card_id AND orders >= 0;
END;
-- +goose StatementEnd
