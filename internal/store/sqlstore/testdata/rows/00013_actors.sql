-- Rows as the thirteenth version keeps them, beside those of the fourth.
INSERT INTO audit (acted_at, key_name, address, route, request_id, program_id, customer_id, card_id,
    outcome, card_before, card_after, actor_kind, reason, subject_kind, subject_id)
    VALUES (1767225600001, 'alice', '', 'load', '', 1, 0, 0, 'changed', '{"name":"A"}',
        '{"name":"B"}', 'load', 'why', 'program', '1');
