-- Rows as the twentieth version keeps them, and its settings of a program.
UPDATE programs SET renewal = 'automatic', balances = 'mintmark';
INSERT INTO jobs (name, node, began_at, ended_at, done, next_at, error, failed_at)
    VALUES ('renew cards', 'node-1', 1767225600001, 1767225600002, TRUE, 1767229200001,
        'no broom', 1767225500000);
INSERT INTO notices (kind, subject, moment, noted_at)
    VALUES ('document effective', '7', 1767225600001, 1767225600002);
