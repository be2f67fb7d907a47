-- An account whose balance has changed since it was opened.
UPDATE accounts SET balance_changed_at = 1767225600000 WHERE account_id = 2001;
