-- Rows as the ninth version keeps them, beside those of the eighth.
INSERT INTO orders (card_id, kind, sealed_pin, created_at, done_at, pin_expired_at)
    VALUES (5001, 'pin', NULL, 1767225600001, NULL, 1767312000001);
