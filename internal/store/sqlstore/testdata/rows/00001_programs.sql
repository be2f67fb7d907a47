-- Rows as the first version keeps them, for both databases.
INSERT INTO banks (bank_id, name) VALUES (1, 'Bänk');
INSERT INTO pci_keys (pci_key_id, bank_id, status) VALUES (1, 1, 1), (2, 1, 3);
INSERT INTO programs (program_id, bank_id, verification_window_days, settings)
    VALUES (1, 1, 30, '{"name":"Example"}');
INSERT INTO bins (bin_id, program_id, vendor, description, is_active, first_body, last_body,
    valid_months) VALUES (1, 1, 'VS', 'Debit', TRUE, '400000000000000', '400000999999999', 48);
INSERT INTO documents (document_id, bank_id, culture, type, title, html, effective_at, expires_at,
    pdf) VALUES (1, 1, 'en-US', 'Terms', 'Title', '<p>text</p>', 1767225600000, NULL, 'pdf');
INSERT INTO api_keys (name, program_id, version, secrets, allow_list, per_second, burst)
    VALUES ('key', 1, 1, '[{"digest":"AQID","expires":1767225600000}]', '["127.0.0.0/8"]', 0.5, 2);
UPDATE access_revision SET revision = 7;
