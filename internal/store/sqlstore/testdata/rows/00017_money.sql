-- Rows as the seventeenth version keeps them, beside those of the versions before.
UPDATE accounts SET held = 125000;
INSERT INTO authorizations (authorization_id, request_digest, program_id, card_id, kind, category,
    amount, currency, reason, account_id, happened_at, decided_at)
    VALUES ('auth-1', 'digest', 1, 10001, 'purchase', '', 125000, 'USD', 'approved', 2001,
        1767225600001, 1767225600002),
    ('auth-2', 'digest', 0, 404, 'deposit', 'Savings', 1, '', 'unknownCard', 0, NULL,
        1767225600002);
INSERT INTO holds (hold_id, authorization_id, program_id, customer_id, card_id, account_id, kind,
    amount, counted_day, placed_at, ends_at)
    VALUES ('hold-1', 'auth-1', 1, 1001, 10001, 2001, 'purchase', 125000, 20260101, 1767225600002,
        1767830400002);
INSERT INTO hold_ends (hold_id, program_id, card_id, account_id, kind, ended_by, posting_id,
    ended_at)
    VALUES ('hold-2', 1, 10001, 2001, 'withdrawal', 'posted', 'posting-1', 1767225600003);
INSERT INTO postings (posting_id, request_digest, hold_id, program_id, customer_id, card_id,
    account_id, kind, amount, posted_at)
    VALUES ('posting-1', 'digest', 'hold-2', 1, 1001, 10001, 2001, 'withdrawal', 100,
        1767225600003);
INSERT INTO usages (program_id, customer_id, direction, day, of_day, of_month, revision)
    VALUES (1, 0, 'withdraw', 20260101, 125100, 125100, 1),
    (1, 1001, 'withdraw', 20260101, 125100, 125100, 3);
