-- What follows an act: attempts that count against a limit, orders to the processor, the audit
-- trail, and answers kept for repeated requests.

-- +goose Up
CREATE TABLE attempts (
    attempt_id INTEGER PRIMARY KEY AUTOINCREMENT,
    card_id    BIGINT NOT NULL REFERENCES cards (card_id),
    kind       TEXT NOT NULL CHECK (kind IN ('verify failed', 'pin taken')),
    tried_at   BIGINT NOT NULL
);
CREATE INDEX attempts_card ON attempts (card_id, kind, tried_at);

CREATE TABLE orders (
    order_id   INTEGER PRIMARY KEY AUTOINCREMENT,
    card_id    BIGINT NOT NULL REFERENCES cards (card_id),
    kind       TEXT NOT NULL CHECK (kind IN ('card', 'renew', 'pin')),
    sealed_pin BLOB,
    created_at BIGINT NOT NULL,
    done_at    BIGINT CHECK (done_at >= created_at)
);
CREATE INDEX orders_open ON orders (order_id) WHERE done_at IS NULL;

-- The trail refers to nothing, because a request may name a customer or a card that is not there,
-- and being written down must not depend on that.
CREATE TABLE audit (
    audit_id    INTEGER PRIMARY KEY AUTOINCREMENT,
    acted_at    BIGINT NOT NULL,
    key_name    TEXT NOT NULL,
    address     TEXT NOT NULL,
    route       TEXT NOT NULL,
    request_id  TEXT NOT NULL,
    program_id  BIGINT NOT NULL,
    customer_id BIGINT NOT NULL,
    card_id     BIGINT NOT NULL,
    outcome     TEXT NOT NULL,
    card_before TEXT NOT NULL,
    card_after  TEXT NOT NULL
);
CREATE INDEX audit_card ON audit (program_id, card_id, audit_id);

CREATE TABLE replays (
    key_name        TEXT NOT NULL REFERENCES api_keys (name),
    route           TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body_digest     BLOB NOT NULL,
    http_status     BIGINT NOT NULL,
    answer          BLOB NOT NULL,
    answered_at     BIGINT NOT NULL,
    PRIMARY KEY (key_name, route, idempotency_key)
);
CREATE INDEX replays_answered ON replays (answered_at);
