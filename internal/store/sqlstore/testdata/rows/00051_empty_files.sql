-- A file of reports without reports.
INSERT INTO processor_files (direction, sequence, line_count, digest, created_at, ended_at) VALUES
    ('reports', 1000, 0, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        1767225600000, 1767225600000);
