-- What operators find people by: the beginning of a first name, of a last name and of its last word,
-- and the last seven digits of a telephone number.
-- The embedded database compares bytes and calls that "binary"; so do the same statements here.
-- An index is built without locking out those who write, which no transaction may contain.

-- +goose NO TRANSACTION
-- +goose Up
CREATE COLLATION IF NOT EXISTS "binary" FROM "C";
CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_first_name ON customers
    (program_id, (LOWER(first_name) COLLATE "binary"), customer_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_last_name ON customers
    (program_id, (LOWER(last_name) COLLATE "binary"), customer_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_last_word ON customers
    (program_id, (LOWER(REPLACE(last_name,
        RTRIM(last_name, REPLACE(last_name, ' ', '')), '')) COLLATE "binary"), customer_id)
    WHERE last_name LIKE '% %';
CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_mobile ON customers
    (program_id, (SUBSTR(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(mobile_phone,
        ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '/', ''),
        LENGTH(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(mobile_phone,
        ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '/', '')) - 6)), customer_id)
    WHERE mobile_phone <> '';
CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_home ON customers
    (program_id, (SUBSTR(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(home_phone,
        ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '/', ''),
        LENGTH(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(home_phone,
        ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '/', '')) - 6)), customer_id)
    WHERE home_phone <> '';
