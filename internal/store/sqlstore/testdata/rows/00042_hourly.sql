-- Two counts of an hour, and how far the log is counted.
INSERT INTO hourly (chart, program_id, hour, item, label, count)
    VALUES ('authorizations', 1, 490896, '', 'approved', 2), ('deliveries', 1, 490896, '1', 'failed', 1),
    ('', 0, 0, '', 'events', 4);
