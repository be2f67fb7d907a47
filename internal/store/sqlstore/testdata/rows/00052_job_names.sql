-- A job under one of the new names.
INSERT INTO jobs (name, node, began_at, ended_at, done, next_at, error)
    VALUES ('expire holds', 'node-1', 1767225600001, 1767225600002, TRUE, 1767225660001, '');
