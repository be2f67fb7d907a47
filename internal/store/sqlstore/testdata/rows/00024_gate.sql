-- Acts that wait for a second operator.
INSERT INTO approvals (approval_id, state, act, method, path, body, if_match, roles, program_id,
    bank_id, subject, reason, asked_by, asked_at, lapses_at, ended_by, ended_at, why, status, result)
VALUES (1, 'waiting', 'Issue a key', 'POST', 'programs/1/keys', '{}', 0, '["security"]', 1, 1, '', '',
    '{"Name":"a"}', 1767225600001, 1767312000001, '', NULL, '', 0, NULL);
INSERT INTO operator_answers (operator, route, idempotency_key, body_digest, http_status, answer,
    answered_at)
VALUES ('a', 'POST /admin/v1/tokens', 'k1', '1', 201, '{}', 1767225600001);
