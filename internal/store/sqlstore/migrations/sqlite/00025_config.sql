-- What operators set up beside the file that they load: whether a second operator confirms acts in a
-- program, what operators call a key, empty where that is its name, when a key was used last, and
-- which types of event a replay sends, a JSON list or null for all.

-- +goose Up
ALTER TABLE programs ADD COLUMN four_eyes BOOLEAN NOT NULL DEFAULT FALSE;

ALTER TABLE api_keys ADD COLUMN label TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX api_keys_label ON api_keys (program_id, label) WHERE label <> '';

CREATE TABLE key_uses (
    key_name TEXT NOT NULL PRIMARY KEY CHECK (key_name <> ''),
    used_at  BIGINT NOT NULL
);

ALTER TABLE webhook_replays ADD COLUMN types TEXT NOT NULL DEFAULT 'null';
