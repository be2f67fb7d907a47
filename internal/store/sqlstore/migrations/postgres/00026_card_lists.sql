-- What operators find cards by. The index by status holds every card, but only a query that says
-- card_id > 0 may use it, so that it changes the plan of no query of an act. locked_cards are cards
-- that are or were locked: a lock is noted when it is set, and an unlock leaves the row, which costs
-- an act less than to delete it. An index on the lock itself would have each lock enter the card
-- again in every index.
-- card_texts are the search texts of cards, packed by a job; late_cards are those that were inserted
-- under a number which the job may have passed. card_packing is one row: no card with a number up to
-- settled_card can still appear, newest_card was the greatest number at looked_at.
-- The index is built without locking out those who write, which no transaction may contain.

-- +goose NO TRANSACTION
-- +goose Up
CREATE INDEX CONCURRENTLY IF NOT EXISTS cards_by_status
    ON cards (program_id, status, card_id) WHERE card_id > 0;

CREATE TABLE IF NOT EXISTS locked_cards (
    program_id BIGINT NOT NULL,
    card_id    BIGINT NOT NULL,
    PRIMARY KEY (program_id, card_id)
);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_locked_card() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO locked_cards (program_id, card_id) VALUES (NEW.program_id, NEW.card_id)
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER card_made_locked AFTER INSERT ON cards
    FOR EACH ROW WHEN (NEW.lock_type <> 'UNL') EXECUTE FUNCTION note_locked_card();
CREATE OR REPLACE TRIGGER card_locked AFTER UPDATE OF lock_type ON cards
    FOR EACH ROW WHEN (NEW.lock_type <> 'UNL') EXECUTE FUNCTION note_locked_card();
INSERT INTO locked_cards (program_id, card_id)
    SELECT program_id, card_id FROM cards WHERE lock_type <> 'UNL' ON CONFLICT DO NOTHING;

CREATE TABLE IF NOT EXISTS card_texts (
    last_card  BIGINT PRIMARY KEY,
    first_card BIGINT NOT NULL,
    cards      BIGINT NOT NULL CHECK (cards > 0),
    texts      BYTEA NOT NULL
);
-- A search reads whole blocks: to decompress them would take most of its time.
ALTER TABLE card_texts ALTER COLUMN texts SET STORAGE EXTERNAL;
CREATE TABLE IF NOT EXISTS late_cards (
    card_id BIGINT PRIMARY KEY
);
CREATE TABLE IF NOT EXISTS card_packing (
    one_row      BIGINT PRIMARY KEY CHECK (one_row = 1),
    settled_card BIGINT NOT NULL,
    newest_card  BIGINT NOT NULL,
    looked_at    BIGINT NOT NULL
);
INSERT INTO card_packing (one_row, settled_card, newest_card, looked_at)
    SELECT 1, 0, COALESCE(MAX(card_id), 0), 0 FROM cards ON CONFLICT DO NOTHING;
