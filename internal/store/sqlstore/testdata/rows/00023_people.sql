-- Rows as the twenty-third version keeps them.
INSERT INTO operators (operator_id, name, roles, all_banks, banks, state, openid, created_at,
    last_sign_in_at, sessions_since)
    VALUES (1, 'ada', '["administrator"]', TRUE, 'null', 'active', 'https://issuer#1',
    1767225600001, 1767225600002, 1767225600001);
INSERT INTO operator_credentials (operator_id, password, totp, last_step)
    VALUES (1, '$argon2id$', NULL, 7);
INSERT INTO operator_tokens (token_id, name, digest, roles, all_banks, banks, created_at,
    expires_at, revoked_at, last_used_at) VALUES (1, 'ci', '0', '["support"]', FALSE, '[1,2]',
    1767225600001, 1767225600002, NULL, 1767225600003);
INSERT INTO sign_ins (sign_in_id, account, address, tried_at)
    VALUES (1, 'ada', '192.0.2.1', 1767225600001);
INSERT INTO invitations (operator_id, digest, totp, expires_at)
    VALUES (1, '1', '2', 1767225600001);
INSERT INTO console_sessions (digest, data, expires_at) VALUES ('3', '4', 1767225600001);
