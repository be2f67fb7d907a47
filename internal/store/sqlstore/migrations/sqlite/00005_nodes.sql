-- What several nodes on one database need: a lease says which of them does a duty for now.

-- +goose Up
CREATE TABLE leases (
    name     TEXT NOT NULL PRIMARY KEY CHECK (name <> ''),
    holder   TEXT NOT NULL CHECK (holder <> ''),
    until_at BIGINT NOT NULL
);
