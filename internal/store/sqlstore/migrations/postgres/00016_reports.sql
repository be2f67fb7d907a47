-- The reports of the card processor, each with what became of it: to report twice is to report once,
-- and what contradicts the state of a card is kept for operators. They refer to nothing, because a
-- report may name a card or an order that is not there.
-- cards.shipped_at is when the processor last sent the card; from then on its verification window
-- runs. It is empty in older rows, and a program of the version before leaves it as it is. As long
-- as such a program runs beside, its own duty goes on to count the window from the creation.

-- +goose Up
ALTER TABLE cards ADD COLUMN shipped_at BIGINT;

CREATE TABLE reports (
    report_id   TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    order_id    TEXT NOT NULL,   -- empty when the report names none
    card_id     BIGINT NOT NULL,
    program_id  BIGINT NOT NULL, -- 0 when there is no such card
    kind        TEXT NOT NULL,
    reported_at BIGINT NOT NULL, -- when it happened, says the processor
    reason      TEXT NOT NULL,
    received_at BIGINT NOT NULL,
    result      TEXT NOT NULL CHECK (result IN ('applied', 'ignored')),
    why         TEXT NOT NULL    -- it was ignored
);
CREATE INDEX reports_card ON reports (card_id, received_at);
CREATE INDEX reports_ignored ON reports (received_at) WHERE result = 'ignored';
