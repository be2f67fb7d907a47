-- What sort of actor an audit row names, the reason it gave, and what the act was about: not only
-- cards, but also programs, keys, customers, a loaded file, the installation. The columns are empty
-- in older rows, and in those that a program of the version before writes; key_name and card_id say
-- it there.

-- +goose Up
ALTER TABLE audit ADD COLUMN actor_kind   TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN reason       TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN subject_kind TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN subject_id   TEXT NOT NULL DEFAULT '';
