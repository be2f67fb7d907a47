-- balance_changed_at is when the balance of an account changed last, or when it was opened: a hold
-- changes what is available, and with it balance_modified_at alone. It is empty in older rows until
-- their balance changes. A program of the version before leaves it as it is; a list of balances that
-- is compared while one runs beside may have differences that a newer list has not.

-- +goose Up
ALTER TABLE accounts ADD COLUMN balance_changed_at BIGINT;
