-- When the PIN of an order was destroyed because nobody had taken it in time, and an index of the
-- orders that still hold a PIN. The index is built without locking out those who write, which no
-- transaction may contain.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE orders ADD COLUMN IF NOT EXISTS pin_expired_at BIGINT
    CHECK (pin_expired_at IS NULL OR sealed_pin IS NULL AND pin_expired_at >= created_at);
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_pins ON orders (created_at, order_id)
    WHERE sealed_pin IS NOT NULL;
