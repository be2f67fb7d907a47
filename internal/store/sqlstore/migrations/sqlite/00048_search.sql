-- What a search reads in place of more: cards by their last four digits, and people by an index that
-- holds their whole names. card_grams says which blocks of search texts have an n-gram: slices has a
-- bit for each of 64 numbers of blocks (segment) and each hash of a range (part). A block that a program
-- of the version before packs has no number.
-- Contracts: three indexes of customers; the new ones begin with the same columns.

-- +goose Up
CREATE INDEX cards_last_four ON cards (last_four, card_id);

ALTER TABLE card_texts ADD COLUMN number BIGINT;
CREATE INDEX card_texts_numbers ON card_texts (last_card, first_card, number);
CREATE TABLE card_grams (
    part    BIGINT NOT NULL,
    segment BIGINT NOT NULL,
    slices  BLOB NOT NULL,
    PRIMARY KEY (part, segment)
);
CREATE INDEX card_grams_segment ON card_grams (segment);

CREATE INDEX customers_first ON customers
    (program_id, LOWER(first_name), customer_id, first_name, last_name);
CREATE INDEX customers_last ON customers
    (program_id, LOWER(last_name), customer_id, first_name, last_name);
CREATE INDEX customers_last_of_last ON customers
    (program_id, LOWER(REPLACE(last_name,
        RTRIM(last_name, REPLACE(last_name, ' ', '')), '')), customer_id, first_name, last_name)
    WHERE last_name LIKE '% %';
DROP INDEX customers_first_name;
DROP INDEX customers_last_name;
DROP INDEX customers_last_word;
