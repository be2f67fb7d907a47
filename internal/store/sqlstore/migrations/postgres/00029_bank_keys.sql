-- The keys under which the card numbers and PINs of banks are sealed, each wrapped by the keyset of
-- the installation. A sealed text begins with five bytes that name its key, and two indexes find
-- the texts of a key by them: no column can then differ from the text, whichever version wrote it. The
-- indexes are built without locking out those who write, which no transaction may contain.

-- +goose NO TRANSACTION
-- +goose Up
CREATE TABLE IF NOT EXISTS bank_keys (
    key_id     BIGINT PRIMARY KEY CHECK (key_id BETWEEN 1 AND 2147483647),
    pci_key_id BIGINT NOT NULL REFERENCES pci_keys (pci_key_id),
    state      TEXT COLLATE "C" NOT NULL
        CHECK (state IN ('active', 'decrypt-only', 'compromised', 'retired')),
    made_at    BIGINT NOT NULL,
    wrapped    BYTEA NOT NULL,
    revision   BIGINT NOT NULL DEFAULT 1,
    CHECK ((state = 'retired') = (length(wrapped) = 0))
);
CREATE INDEX IF NOT EXISTS bank_keys_pci ON bank_keys (pci_key_id, made_at);
CREATE UNIQUE INDEX IF NOT EXISTS bank_keys_active ON bank_keys (pci_key_id)
    WHERE state = 'active';
CREATE INDEX CONCURRENTLY IF NOT EXISTS card_numbers_key
    ON card_numbers (substr(sealed, 1, 5), card_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_pin_key
    ON orders (substr(sealed_pin, 1, 5), order_id) WHERE sealed_pin IS NOT NULL;
