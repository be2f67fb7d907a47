-- in_file is the number of the file that a sent order stands in until the card processor has fetched
-- the file. The index holds such orders. A program of the version before ends an order of most kinds
-- as soon as its file is written, and leaves the column as it is.

-- +goose Up
ALTER TABLE orders ADD COLUMN in_file BIGINT;
CREATE INDEX orders_in_file ON orders (in_file) WHERE in_file IS NOT NULL AND done_at IS NULL;
