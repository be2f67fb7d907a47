-- An authorization that was declined.
INSERT INTO authorizations (authorization_id, request_digest, program_id, card_id, kind, category,
    amount, currency, reason, account_id, happened_at, decided_at, customer_id, details)
    VALUES ('auth-5', 'digest', 1, 10001, 'purchase', '', 5000, 'USD', 'limit', 0, 1767225600001,
        1767225600003, 1001, '{"limit":{"name":"perTransactionWithdrawLimit","sum":0.5}}');
