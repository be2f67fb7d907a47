-- The row as the tenth version keeps it.
INSERT INTO installation (one_row, environment, keyset_fingerprint, pin_key_fingerprint, made_at)
VALUES (1, 'production', '00112233445566778899aabbccddeeff', 'ffeeddccbbaa99887766554433221100',
    1767225600001);
