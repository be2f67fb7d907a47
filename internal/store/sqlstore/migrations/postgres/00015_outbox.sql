-- Orders to the card processor get what a dispatcher needs: how far each has come, what it says, who
-- is sending it, when it is tried next. cards.orders counts the orders of a card, which numbers them
-- without a look at others; it is -1 where orders of the version before may have no number. Those
-- orders get their numbers and the random part of their public identifier when they are claimed.
-- The indexes are built without locking out those who write, which no transaction may contain.
-- Contracts: the CHECK of orders.kind, which names more kinds now. The version before writes only
-- those that it knows.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE orders
    ADD COLUMN IF NOT EXISTS token        TEXT,
    ADD COLUMN IF NOT EXISTS sequence     BIGINT CHECK (sequence > 0),
    ADD COLUMN IF NOT EXISTS state        TEXT NOT NULL DEFAULT 'waiting'
        CHECK (state IN ('waiting', 'sent', 'done', 'failed', 'held')),
    ADD COLUMN IF NOT EXISTS urgent       BOOLEAN NOT NULL DEFAULT FALSE,
    ADD COLUMN IF NOT EXISTS snapshot     TEXT NOT NULL DEFAULT '{}',
    ADD COLUMN IF NOT EXISTS expire_month BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS expire_year  BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS attempts     BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS last_error   TEXT NOT NULL DEFAULT '',
    ADD COLUMN IF NOT EXISTS unreachable  BOOLEAN NOT NULL DEFAULT FALSE,
    ADD COLUMN IF NOT EXISTS next_try_at  BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS claimed_by   TEXT NOT NULL DEFAULT '',
    ADD COLUMN IF NOT EXISTS begun_at     BIGINT,
    ADD COLUMN IF NOT EXISTS dropped_at   BIGINT,
    ADD COLUMN IF NOT EXISTS revision     BIGINT NOT NULL DEFAULT 1,
    DROP CONSTRAINT IF EXISTS orders_kind_check,
    DROP CONSTRAINT IF EXISTS orders_kinds,
    ADD CONSTRAINT orders_kinds CHECK (kind IN ('card', 'renew', 'pin', 'card.make',
        'card.remake', 'card.lock', 'card.unlock', 'card.hotlist', 'card.close', 'card.accounts',
        'card.pin'));
ALTER TABLE cards ADD COLUMN IF NOT EXISTS orders BIGINT NOT NULL DEFAULT -1;
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_card ON orders (card_id, done_at, order_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_due ON orders (urgent, next_try_at, order_id)
    WHERE state = 'waiting' AND done_at IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_unreached ON orders (order_id)
    WHERE state = 'waiting' AND done_at IS NULL AND urgent AND unreachable;
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_failed ON orders (order_id)
    WHERE state = 'failed' AND dropped_at IS NULL;

-- A program of the version before writes orders without a number, also for cards whose orders are
-- counted. The count is then kept as -1 less itself, so that the next act numbers those first.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_unnumbered_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE cards SET orders = -1 - orders WHERE card_id = NEW.card_id AND orders >= 0;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER order_unnumbered AFTER INSERT ON orders
    FOR EACH ROW WHEN (NEW.sequence IS NULL) EXECUTE FUNCTION note_unnumbered_order();
