-- Rows as the third version keeps them. One card is numbered by hand, the other by the database.
INSERT INTO cards (card_id, program_id, customer_id, holder_id, type, vendor, bin_id, status,
    lock_type, lock_reason, tag, nickname, nick_key, first_name, middle_name, last_name, qualifier,
    last_four, expire_month, expire_year, is_digital_only, primary_category, created_at, archived_at,
    modified_at, revision)
    VALUES (5001, 1, 1001, 1001, 'DBT', 'VS', 1, 'Archived', 'CST', 'LST', NULL, 'Old', 'old',
        'Ada', '', 'Exämple', '', '1111', 12, 2099, FALSE, 'Checking', 1767225600001,
        1767225600002, 1767225600003, 4);
INSERT INTO cards (program_id, customer_id, holder_id, type, vendor, bin_id, status, lock_type,
    lock_reason, tag, nickname, nick_key, first_name, middle_name, last_name, qualifier, last_four,
    expire_month, expire_year, is_digital_only, primary_category, created_at, modified_at, revision)
    VALUES (1, 1001, 1001, 'DBT', 'VS', 1, 'PendingVerification', 'UNL', 'UNK', 'Tag', 'New', 'new',
        'Ada', '', 'Exämple', '', '1112', 1, 2098, TRUE, 'Checking', 1767225600001, 1767225600001,
        1);
INSERT INTO card_slots (card_id, category, priority, account_id) VALUES (10001, 'Checking', 1, 2001);
INSERT INTO card_numbers (digest, sealed, last_four, bin_id, card_id)
    VALUES ('digest 1', 'sealed 1', '1111', 1, 5001), ('digest 2', 'sealed 2', '1112', 1, 10001);
