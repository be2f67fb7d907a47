-- Files to and from the card processor.
INSERT INTO processor_files (direction, sequence, line_count, digest, created_at, text, ended_at)
VALUES ('orders', 1, 2, 'aa', 1767225600001, NULL, 1767225600002),
    ('reports', 1, 1, 'bb', 1767225600001, NULL, 1767225600002);
