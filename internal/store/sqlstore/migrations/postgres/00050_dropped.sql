-- The index of orders whose names and addresses are to be taken has dropped orders, too.
-- Contracts: orders_people; orders_named has its rows.
-- An index is built without locking out those who write, which no transaction may contain.

-- +goose NO TRANSACTION
-- +goose Up
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_named ON orders (done_at) WHERE emptied_at IS NULL
    AND (state = 'done' OR dropped_at IS NOT NULL) AND (kind = 'card.make' OR kind = 'card.remake');
DROP INDEX CONCURRENTLY IF EXISTS orders_people;
