-- earlier_types are the types that a webhook had before they were changed, each with the newest event
-- and the moment of then: events from before go by them, also when a pause ends long afterwards. A
-- program of the version before leaves them alone, and chooses all events by the newest types.

-- +goose Up
ALTER TABLE webhooks ADD COLUMN earlier_types TEXT NOT NULL DEFAULT '[]';
