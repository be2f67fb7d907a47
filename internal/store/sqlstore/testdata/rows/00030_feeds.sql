-- A source whose second file is applied in part.
INSERT INTO feeds (program_id, source, sequence, running, digest, line, report, changed_at)
    VALUES (1, 'core', 1, 2, 'ab', 70, '{}', 1767225600001);
