-- Rows of the versions before, as the fourteenth changes them.
UPDATE banks SET revision = revision + 1;
UPDATE pci_keys SET revision = revision + 1 WHERE pci_key_id = 2;
UPDATE programs SET revision = 7;
UPDATE bins SET revision = revision + 1;
UPDATE customers SET revision = revision + 1;
UPDATE accounts SET revision = revision + 1;
UPDATE account_access SET revision = revision + 1;
UPDATE documents SET revision = revision + 1;
UPDATE api_keys SET revision = revision + 1;
