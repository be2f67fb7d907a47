-- A key of a bank that seals, and one that is retired.
INSERT INTO bank_keys (key_id, pci_key_id, state, made_at, wrapped)
    VALUES (7, 1, 'active', 1767225600001, '1'), (8, 1, 'retired', 1767225600000, '');
