-- Renames jobs. Stop all nodes for this step: no release has the old names, and a node that runs on
-- would use them again.

-- +goose Up
UPDATE jobs SET name = CASE name
    WHEN 'digest numbers under the next key' THEN 're-hash card numbers'
    WHEN 'end old holds' THEN 'expire holds'
    WHEN 'forget old answers' THEN 'delete old answers'
    WHEN 'forget old deliveries' THEN 'delete old deliveries'
    WHEN 'forget old reconciliations' THEN 'delete old reconciliations'
    WHEN 'forget people in old rows' THEN 'erase old personal data'
    WHEN 're-seal under keys of banks' THEN 're-encrypt under bank keys'
    WHEN 'warn of keys that expire' THEN 'warn about expiring keys'
    ELSE name END;
DELETE FROM leases WHERE name IN ('digest numbers under the next key', 'end old holds',
    'forget old answers', 'forget old deliveries', 'forget old reconciliations',
    'forget people in old rows', 're-seal under keys of banks', 'warn of keys that expire');
