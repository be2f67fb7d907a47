-- Rows as the sixteenth version keeps them, beside those of the versions before.
INSERT INTO reports (report_id, order_id, card_id, program_id, kind, reported_at, reason,
    received_at, result, why)
    VALUES ('r-1', '', 10001, 1, 'shipped', 1767225600000, '', 1767225600001, 'applied', ''),
        ('r-2', '7-ab', 77, 0, 'refused', 1767225600000, 'no such street', 1767225600002,
        'ignored', 'there is no such card');
UPDATE cards SET shipped_at = 1767225600001;
