-- A revision in each row that operators change: a change names the one it was read at, so that two
-- operators do not overwrite each other unseen. A program of the version before leaves the column
-- alone, so its changes do not count.

-- +goose Up
ALTER TABLE banks          ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;
ALTER TABLE pci_keys       ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;
ALTER TABLE programs       ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;
ALTER TABLE bins           ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;
ALTER TABLE customers      ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;
ALTER TABLE accounts       ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;
ALTER TABLE account_access ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;
ALTER TABLE documents      ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;
ALTER TABLE api_keys       ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;
