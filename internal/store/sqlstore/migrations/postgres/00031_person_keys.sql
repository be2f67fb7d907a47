-- The keys under which the audit keeps what it says of the people of a card: a row for each card
-- since this version, the key sealed by the vault. Whoever is erased loses the rows of its cards, and
-- with them what the audit says, while the hashes of its entries stay as they are. A program of the
-- version before does not know the table, and writes such texts in the clear.
-- emptied_at is when the names and the address were taken from an order that was done long ago. The
-- index holds the orders of which they were not. It is built without locking out those who write,
-- which no transaction may contain.

-- +goose NO TRANSACTION
-- +goose Up
CREATE TABLE IF NOT EXISTS person_keys (
    card_id BIGINT PRIMARY KEY,
    sealed  BYTEA NOT NULL
);
ALTER TABLE orders ADD COLUMN IF NOT EXISTS emptied_at BIGINT;
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_people ON orders (done_at)
    WHERE emptied_at IS NULL AND state = 'done' AND (kind = 'card.make' OR kind = 'card.remake');
