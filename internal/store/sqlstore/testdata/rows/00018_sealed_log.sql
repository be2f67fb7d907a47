-- A row of audit with a digest, and a batch that seals it.
INSERT INTO audit (acted_at, key_name, address, route, request_id, program_id, customer_id, card_id,
    outcome, card_before, card_after, actor_kind, reason, subject_kind, subject_id, digest)
    VALUES (1767225600001, 'key', '', '/card/lock', '', 1, 1, 1, 'changed', '', '', 'key', '',
        'card', '1', 'digest');
INSERT INTO sealed_batches (first_sequence, entries, audit_ids, newest_audit_id, settled_audit_id,
    first_event, sealed_at, root, note)
    VALUES (1, 1, 'ids', 1, 0, 1, 1767225600001, 'root', 'note');
INSERT INTO sealed_hashes (first_hash, hashes) VALUES (0, 'hash');
INSERT INTO archived_entries (through_sequence, archived_at) VALUES (1, 1767225600001);
