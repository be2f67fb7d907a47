-- An order in a file that the card processor has not fetched.
UPDATE orders SET state = 'sent', in_file = 7, claimed_by = '', next_try_at = 0
    WHERE card_id = 10001 AND sequence = 1;
