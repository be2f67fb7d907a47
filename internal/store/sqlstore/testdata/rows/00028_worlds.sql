-- A sandbox that was reset once and has kept a world.
INSERT INTO sandbox (one_row, generation, note, settings, ahead, frozen_at)
    VALUES (1, 1, NULL, 2, 3600000000000, '2026-01-01T00:00:00Z');
INSERT INTO sandbox_worlds (world_id, name, made_at, schema_version, note)
    VALUES (1, 'before', 1767225600001, 28, '{}');
INSERT INTO sandbox_numbers (world_id, source, next) VALUES (1, 'cards', 10001);
