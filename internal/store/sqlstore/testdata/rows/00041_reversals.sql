-- An authorization that was advised, the mark of a reversal, and a hold that has grown.
INSERT INTO authorizations (authorization_id, request_digest, program_id, card_id, kind, category,
    amount, currency, reason, account_id, happened_at, decided_at, customer_id, details,
    advised_by, advised_amount, would_have, grown)
    VALUES ('auth-3', '', 1, 10001, 'purchase', '', 5000, 'USD', 'limit', 2001, 1767225600001,
        1767225600002, 1001, '{"merchant":{"name":"Corner","country":"US","mcc":"5411"}}', 'standIn',
        5000, 'limit', 100),
    ('auth-4', '', 0, 0, '', '', 0, '', 'reversed', 0, NULL, 1767225600002, 0, '{}', '', 0, '', 0);
UPDATE holds SET later = '[{"day":20260102,"amount":1}]', particulars = '{"currency":"USD"}';
INSERT INTO reversals (reversal_id, request_digest, authorization_id, result, happened_at,
    reversed_at)
    VALUES ('reversal-1', 'digest', 'auth-4', 'unknown', 1767225600001, 1767225600002);
UPDATE programs SET currency = 'USD' WHERE program_id = 1;
