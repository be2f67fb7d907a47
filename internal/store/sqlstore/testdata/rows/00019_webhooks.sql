-- Rows as the nineteenth version keeps them, beside those of the first.
INSERT INTO webhooks (webhook_id, program_id, name, url, types, secrets, paused, paused_because,
    created_at) VALUES (1, 1, 'hooks', 'https://example.com/', '["card.*"]', '["c2VhbGVk"]', FALSE,
    '', 1767225600001);
INSERT INTO webhook_endpoints (webhook_id, position, node, claimed_until)
    VALUES (1, 7, 'node', 1767225600001);
INSERT INTO deliveries (webhook_id, event, lane, type, state, tries, next_at, last_error, since)
    VALUES (1, 7, 10001, 'card.locked', 'waiting', 1, 1767225600002, 'no answer', 1767225600001);
INSERT INTO delivery_attempts (webhook_id, event, tried_at, http_status, millis, error, answer)
    VALUES (1, 7, 1767225600001, 500, 12, 'the answer is 500', 'oops');
INSERT INTO webhook_replays (webhook_id, from_at, to_at, position, last_event, events, sent,
    created_at, ended_at) VALUES (1, 1767225600000, 1767225600001, 7, 7, 3, 3, 1767225600001,
    1767225600002);
