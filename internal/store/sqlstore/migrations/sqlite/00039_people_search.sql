-- What operators find people by: the beginning of a first name, of a last name and of its last word,
-- and the last seven digits of a telephone number.

-- +goose Up
CREATE INDEX customers_first_name ON customers
    (program_id, LOWER(first_name), customer_id);
CREATE INDEX customers_last_name ON customers
    (program_id, LOWER(last_name), customer_id);
CREATE INDEX customers_last_word ON customers
    (program_id, LOWER(REPLACE(last_name,
        RTRIM(last_name, REPLACE(last_name, ' ', '')), '')), customer_id)
    WHERE last_name LIKE '% %';
CREATE INDEX customers_mobile ON customers
    (program_id, SUBSTR(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(mobile_phone,
        ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '/', ''),
        LENGTH(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(mobile_phone,
        ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '/', '')) - 6), customer_id)
    WHERE mobile_phone <> '';
CREATE INDEX customers_home ON customers
    (program_id, SUBSTR(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(home_phone,
        ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '/', ''),
        LENGTH(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(home_phone,
        ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '/', '')) - 6), customer_id)
    WHERE home_phone <> '';
