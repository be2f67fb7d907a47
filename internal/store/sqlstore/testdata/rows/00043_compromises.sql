-- A list with one card, which waits.
INSERT INTO compromises (program_id, name, act, per_day, digest, made_at, actor_kind, actor_id,
        actor_name, reason, numbers, cards, statuses, state, outcomes, day, of_day, changed_at)
    VALUES (1, 'breach', 'lock', 0, 'ab', 1767225600000, 'operator', 1, 'alice', 'a call', 2, 1,
        '{"Verified":1}', 'running', '{}', '', 0, 1767225600000);
INSERT INTO compromised_cards (compromise_id, place, cards)
    VALUES (1, 0, '[{"id":10001}]');
