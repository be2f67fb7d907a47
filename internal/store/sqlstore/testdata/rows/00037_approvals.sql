-- An act that a second operator approved, and one that was withdrawn.
INSERT INTO approvals (approval_id, state, act, method, path, body, if_match, roles, program_id,
    bank_id, subject, reason, asked_by, asked_at, lapses_at, ended_by, ended_at, why, status, result,
    owner_kind, owner_id, ended_kind, ended_id, begun_at)
VALUES (2, 'done', 'Issue a key', 'POST', 'programs/1/keys', '{}', 0, '["security"]', 1, 1, '', '',
    '{"Name":"ada","ID":1}', 1767225600001, 1767312000001, 'bob', 1767225600002, '', 201, NULL,
    'operator', 1, 'operator', 2, 1767225600002),
    (3, 'withdrawn', 'Issue a key', 'POST', 'programs/1/keys', '{}', 0, '["security"]', 1, 1, '', '',
    '{"Name":"ada","ID":1}', 1767225600001, 1767312000001, 'ada', 1767225600002, '', 0, NULL,
    'operator', 1, 'operator', 1, NULL);
