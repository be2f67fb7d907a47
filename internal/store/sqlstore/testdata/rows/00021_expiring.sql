-- The twenty-first version keeps nothing else than the twentieth.
UPDATE cards SET modified_at = modified_at + 1 WHERE card_id = 10001;
