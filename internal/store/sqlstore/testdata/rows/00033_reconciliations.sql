-- A list of cards in which one differs.
INSERT INTO reconciliations (program_id, kind, list_at, made_at, digest, who, compared, same,
        in_flight, different, sorts, differences)
    VALUES (1, 'cards', 1767225600000, 1767225600001, 'ab', 'alice', 3, 1, 1, 1, '{"state":1}',
        '[{"sort":"state","id":10001,"here":"open","there":"locked"}]');
