-- The rotation of the key under which the numbers of cards are digested. number_digests is one row,
-- or none before the first rotation: how far it has come, the key by which numbers are found and the
-- next one, each wrapped by the keyset of the installation, whose own key has number 0. second_digest
-- is the digest under another key while one takes the place of the other: see package digests.
-- digest_key is the key of digest.
-- A program of the version before writes key 0 and no second digest. Once key 0 is retired it could
-- write a number that a card has already, so the trigger refuses it.

-- +goose Up
CREATE TABLE number_digests (
    one_row      BIGINT NOT NULL PRIMARY KEY CHECK (one_row = 1),
    phase        TEXT NOT NULL CHECK (phase IN ('one key', 'two keys', 'moving')),
    key_id       BIGINT NOT NULL CHECK (key_id BETWEEN 0 AND 2147483647),
    wrapped      BLOB,
    next_key_id  BIGINT NOT NULL CHECK (next_key_id BETWEEN 0 AND 2147483647),
    next_wrapped BLOB,
    changed_at   BIGINT NOT NULL,
    generation   BIGINT NOT NULL,
    CHECK ((key_id = 0) = (wrapped IS NULL)),
    CHECK ((next_key_id = 0) = (next_wrapped IS NULL)),
    CHECK ((phase = 'two keys') = (next_key_id <> 0))
);
ALTER TABLE card_numbers ADD COLUMN second_digest BLOB;
ALTER TABLE card_numbers ADD COLUMN digest_key BIGINT NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX card_numbers_second ON card_numbers (second_digest)
    WHERE second_digest IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER number_of_retired_key BEFORE INSERT ON card_numbers
    WHEN NEW.digest_key = 0 AND NEW.second_digest IS NULL
        AND EXISTS (SELECT 1 FROM number_digests WHERE one_row = 1 AND key_id <> 0)
BEGIN
    SELECT RAISE(ABORT, 'the digest key 0 is retired: this program is of an earlier version');
END;
-- +goose StatementEnd
