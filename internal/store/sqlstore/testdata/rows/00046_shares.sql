-- What is left of a share of the second program's day.
INSERT INTO usage_shares (program_id, lane, direction, day, rest, revision)
    VALUES (2, 7, 'withdraw', 20260601, 5000, 3);
