-- Rows as the second version keeps them, beside those of the first.
INSERT INTO customers (customer_id, program_id, status, access_type, is_active, is_locked,
    deceased_on, born_on, first_name, last_name, mobile_phone, home_phone, mailing, residence)
    VALUES (1001, 1, 'Verified', 'FULL', TRUE, FALSE, NULL, 479606400000, 'Ada', 'Exämple', '1',
        '2', '{}', '{}');
INSERT INTO accounts (account_id, program_id, customer_id, type, status, name, tag, number_masked,
    balance, available_balance, pending_balance, balance_modified_at, modified_at)
    VALUES (2001, 1, 1001, 'Checking', 'Open', 'Name', 'tag', '**1', -12345678, 1, 2,
        1767225600001, NULL);
INSERT INTO account_access (customer_id, account_id, type) VALUES (1001, 2001, 'RDONLY');
