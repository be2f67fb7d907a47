-- What a search reads in place of more: cards by their last four digits, and people by an index that
-- holds their whole names. card_grams says which blocks of search texts have an n-gram: slices has a
-- bit for each of 64 numbers of blocks (segment) and each hash of a range (part). A block that a program
-- of the version before packs has no number.
-- Contracts: three indexes of customers; the new ones begin with the same columns.
-- An index is built without locking out those who write, which no transaction may contain.

-- +goose NO TRANSACTION
-- +goose Up
CREATE INDEX CONCURRENTLY IF NOT EXISTS cards_last_four ON cards (last_four, card_id);

ALTER TABLE card_texts ADD COLUMN IF NOT EXISTS number BIGINT;
CREATE INDEX CONCURRENTLY IF NOT EXISTS card_texts_numbers
    ON card_texts (last_card, first_card, number);
CREATE TABLE IF NOT EXISTS card_grams (
    part    BIGINT NOT NULL,
    segment BIGINT NOT NULL,
    slices  BYTEA NOT NULL,
    PRIMARY KEY (part, segment)
);
-- Slices stand in the row: a search reads a few bytes of many.
ALTER TABLE card_grams ALTER COLUMN slices SET STORAGE PLAIN;
CREATE INDEX CONCURRENTLY IF NOT EXISTS card_grams_segment ON card_grams (segment);

CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_first ON customers
    (program_id, (LOWER(first_name) COLLATE "binary"), customer_id)
    INCLUDE (first_name, last_name);
CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_last ON customers
    (program_id, (LOWER(last_name) COLLATE "binary"), customer_id)
    INCLUDE (first_name, last_name);
CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_last_of_last ON customers
    (program_id, (LOWER(REPLACE(last_name,
        RTRIM(last_name, REPLACE(last_name, ' ', '')), '')) COLLATE "binary"), customer_id)
    INCLUDE (first_name, last_name) WHERE last_name LIKE '% %';
DROP INDEX CONCURRENTLY IF EXISTS customers_first_name;
DROP INDEX CONCURRENTLY IF EXISTS customers_last_name;
DROP INDEX CONCURRENTLY IF EXISTS customers_last_word;
