-- Webhooks: where programs are told of events, which node delivers to each, the deliveries that have
-- not succeeded, and the tries of the last days. Events have no rows here: they are made from the
-- sealed log. A program of the version before knows none of these tables.

-- +goose Up
CREATE TABLE webhooks (
    webhook_id     INTEGER PRIMARY KEY AUTOINCREMENT,
    program_id     BIGINT NOT NULL REFERENCES programs (program_id),
    name           TEXT NOT NULL CHECK (name <> ''),
    url            TEXT NOT NULL CHECK (url <> ''),
    types          TEXT NOT NULL,
    secrets        TEXT NOT NULL,
    paused         BOOLEAN NOT NULL,
    paused_because TEXT NOT NULL,
    created_at     BIGINT NOT NULL,
    revision       BIGINT NOT NULL DEFAULT 1,
    UNIQUE (program_id, name)
);

CREATE TABLE webhook_endpoints (
    webhook_id    BIGINT NOT NULL PRIMARY KEY REFERENCES webhooks (webhook_id),
    position      BIGINT NOT NULL CHECK (position >= 0),
    node          TEXT NOT NULL DEFAULT '',
    claimed_until BIGINT
);

-- next_at is NULL for a delivery that waits behind another of its lane, and for a dead one.
CREATE TABLE deliveries (
    webhook_id BIGINT NOT NULL REFERENCES webhooks (webhook_id),
    event      BIGINT NOT NULL CHECK (event > 0),
    lane       BIGINT NOT NULL,
    type       TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('waiting', 'dead')),
    tries      BIGINT NOT NULL CHECK (tries >= 0),
    next_at    BIGINT CHECK (next_at IS NULL OR state = 'waiting'),
    last_error TEXT NOT NULL,
    since      BIGINT NOT NULL,
    PRIMARY KEY (webhook_id, event)
);
CREATE INDEX deliveries_due ON deliveries (next_at, webhook_id) WHERE next_at IS NOT NULL;
CREATE INDEX deliveries_lane ON deliveries (webhook_id, lane, event) WHERE state = 'waiting';
CREATE INDEX deliveries_dead ON deliveries (since) WHERE state = 'dead';

CREATE TABLE delivery_attempts (
    attempt_id  INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook_id  BIGINT NOT NULL REFERENCES webhooks (webhook_id),
    event       BIGINT NOT NULL,
    tried_at    BIGINT NOT NULL,
    http_status BIGINT NOT NULL,
    millis      BIGINT NOT NULL,
    error       TEXT NOT NULL,
    answer      TEXT NOT NULL
);
CREATE INDEX delivery_attempts_event ON delivery_attempts (webhook_id, event, attempt_id);
CREATE INDEX delivery_attempts_newest ON delivery_attempts (webhook_id, attempt_id);
CREATE INDEX delivery_attempts_tried ON delivery_attempts (tried_at);

CREATE TABLE webhook_replays (
    replay_id  INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook_id BIGINT NOT NULL REFERENCES webhooks (webhook_id),
    from_at    BIGINT,
    to_at      BIGINT,
    position   BIGINT NOT NULL,
    last_event BIGINT NOT NULL,
    events     BIGINT NOT NULL,
    sent       BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    ended_at   BIGINT
);
CREATE INDEX webhook_replays_webhook ON webhook_replays (webhook_id, replay_id);
CREATE INDEX webhook_replays_open ON webhook_replays (webhook_id) WHERE ended_at IS NULL;
