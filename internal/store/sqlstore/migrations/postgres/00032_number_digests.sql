-- The rotation of the key under which the numbers of cards are digested. number_digests is one row,
-- or none before the first rotation: how far it has come, the key by which numbers are found and the
-- next one, each wrapped by the keyset of the installation, whose own key has number 0. second_digest
-- is the digest under another key while one takes the place of the other: see package digests.
-- digest_key is the key of digest.
-- A program of the version before writes key 0 and no second digest. Once key 0 is retired it could
-- write a number that a card has already, so the trigger refuses it.
-- The index is built without locking out those who write, which no transaction may contain.

-- +goose NO TRANSACTION
-- +goose Up
CREATE TABLE IF NOT EXISTS number_digests (
    one_row      BIGINT PRIMARY KEY CHECK (one_row = 1),
    phase        TEXT COLLATE "C" NOT NULL CHECK (phase IN ('one key', 'two keys', 'moving')),
    key_id       BIGINT NOT NULL CHECK (key_id BETWEEN 0 AND 2147483647),
    wrapped      BYTEA,
    next_key_id  BIGINT NOT NULL CHECK (next_key_id BETWEEN 0 AND 2147483647),
    next_wrapped BYTEA,
    changed_at   BIGINT NOT NULL,
    generation   BIGINT NOT NULL,
    CHECK ((key_id = 0) = (wrapped IS NULL)),
    CHECK ((next_key_id = 0) = (next_wrapped IS NULL)),
    CHECK ((phase = 'two keys') = (next_key_id <> 0))
);
ALTER TABLE card_numbers
    ADD COLUMN IF NOT EXISTS second_digest BYTEA,
    ADD COLUMN IF NOT EXISTS digest_key BIGINT NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS card_numbers_second
    ON card_numbers (second_digest) WHERE second_digest IS NOT NULL;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refuse_number_of_retired_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM number_digests WHERE one_row = 1 AND key_id <> 0) THEN
        RAISE EXCEPTION 'the digest key 0 is retired: this program is of an earlier version';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER number_of_retired_key BEFORE INSERT ON card_numbers
    FOR EACH ROW WHEN (NEW.digest_key = 0 AND NEW.second_digest IS NULL)
    EXECUTE FUNCTION refuse_number_of_retired_key();
