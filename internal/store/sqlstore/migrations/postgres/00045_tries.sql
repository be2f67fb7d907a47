-- tries are the last tries to send an order, once one has failed, as JSON. A program of the version
-- before leaves them as they are.

-- +goose Up
ALTER TABLE orders ADD COLUMN IF NOT EXISTS tries TEXT NOT NULL DEFAULT 'null';
