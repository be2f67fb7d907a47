-- An entry of an operator with a number, a token of that person, and an answer kept for it.
INSERT INTO audit (acted_at, key_name, address, route, request_id, program_id, customer_id, card_id,
    outcome, card_before, card_after, actor_kind, reason, subject_kind, subject_id, bank_id, actor_id)
    VALUES (1767225600001, 'ada', '', 'create token', '', 0, 0, 0, 'created', '', '',
        'operator', 'nightly', 'token', '2', 0, 1);
INSERT INTO operator_tokens (token_id, name, digest, roles, all_banks, banks, created_at, owner_kind,
    owner_id) VALUES (2, 'nightly', '9', '["support"]', TRUE, 'null', 1767225600001, 'operator', 1);
INSERT INTO operator_answers (operator, route, idempotency_key, body_digest, http_status, answer,
    answered_at)
VALUES ('operator:1', 'POST /admin/v1/tokens', 'k1', '1', 201, '{}', 1767225600001);
