-- Rows as the fifteenth version keeps them, beside those of the fourteenth.
INSERT INTO orders (card_id, kind, sealed_pin, created_at, done_at, pin_expired_at, token, sequence,
    state, urgent, snapshot, expire_month, expire_year, attempts, last_error, unreachable,
    next_try_at, claimed_by, dropped_at, revision)
    VALUES (10001, 'card.lock', NULL, 1767225600001, NULL, NULL, '0123456789abcdef', 1, 'waiting',
        TRUE, '{"status":"Verified"}', 1, 2098, 2, 'no answer', TRUE, 1767225600003, 'node', NULL, 4),
    (10001, 'card.unlock', NULL, 1767225600001, 1767225600002, NULL, '0123456789abcdeg', 2, 'failed',
        FALSE, '{}', 1, 2098, 1, 'refused', FALSE, 0, '', 1767225600003, 2);
UPDATE cards SET orders = 2 WHERE card_id = 10001;
