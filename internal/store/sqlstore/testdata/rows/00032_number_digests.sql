-- A rotation that has begun.
INSERT INTO number_digests (one_row, phase, key_id, wrapped, next_key_id, next_wrapped, changed_at,
        generation)
    VALUES (1, 'two keys', 0, NULL, 9, '1', 1767225600000, 1);
UPDATE card_numbers SET second_digest = '2' WHERE card_id = 10001;
