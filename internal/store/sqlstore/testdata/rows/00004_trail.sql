-- Rows as the fourth version keeps them, beside those of the third.
INSERT INTO attempts (card_id, kind, tried_at) VALUES (10001, 'verify failed', 1767225600001);
INSERT INTO orders (card_id, kind, sealed_pin, created_at, done_at)
    VALUES (10001, 'card', NULL, 1767225600001, NULL), (5001, 'pin', 'pin', 1767225600001,
        1767225600002);
INSERT INTO audit (acted_at, key_name, address, route, request_id, program_id, customer_id, card_id,
    outcome, card_before, card_after)
    VALUES (1767225600001, 'key', '127.0.0.1', '/card/initiate', 'id', 1, 1001, 10001, '200', '',
        '{"cardId":10001}');
INSERT INTO replays (key_name, route, idempotency_key, body_digest, http_status, answer, answered_at)
    VALUES ('key', '/card/initiate', 'once', 'digest', 200, '{}', 1767225600001);
