-- What operators find cards by. The index by status holds every card, but only a query that says
-- card_id > 0 may use it, so that it changes the plan of no query of an act. locked_cards are cards
-- that are or were locked: a lock is noted when it is set, and an unlock leaves the row, which costs
-- an act less than to delete it.
-- card_texts are the search texts of cards, packed by a job; late_cards are those that were inserted
-- under a number which the job may have passed. card_packing is one row: no card with a number up to
-- settled_card can still appear, newest_card was the greatest number at looked_at.

-- +goose Up
CREATE INDEX cards_by_status ON cards (program_id, status, card_id) WHERE card_id > 0;

CREATE TABLE locked_cards (
    program_id BIGINT NOT NULL,
    card_id    BIGINT NOT NULL,
    PRIMARY KEY (program_id, card_id)
);
INSERT INTO locked_cards (program_id, card_id)
    SELECT program_id, card_id FROM cards WHERE lock_type <> 'UNL';

-- +goose StatementBegin
CREATE TRIGGER card_made_locked AFTER INSERT ON cards WHEN NEW.lock_type <> 'UNL' BEGIN
    INSERT OR IGNORE INTO locked_cards (program_id, card_id) VALUES (NEW.program_id, NEW.card_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER card_locked AFTER UPDATE OF lock_type ON cards WHEN NEW.lock_type <> 'UNL' BEGIN
    INSERT OR IGNORE INTO locked_cards (program_id, card_id) VALUES (NEW.program_id, NEW.card_id);
END;
-- +goose StatementEnd

CREATE TABLE card_texts (
    last_card  INTEGER PRIMARY KEY,
    first_card BIGINT NOT NULL,
    cards      BIGINT NOT NULL CHECK (cards > 0),
    texts      BLOB NOT NULL
);
CREATE TABLE late_cards (
    card_id INTEGER PRIMARY KEY
);
CREATE TABLE card_packing (
    one_row      INTEGER PRIMARY KEY CHECK (one_row = 1),
    settled_card BIGINT NOT NULL,
    newest_card  BIGINT NOT NULL,
    looked_at    BIGINT NOT NULL
);
INSERT INTO card_packing (one_row, settled_card, newest_card, looked_at)
    SELECT 1, 0, COALESCE(MAX(card_id), 0), 0 FROM cards;
