-- An entry of a bank, a document that an operator has published, and a draft.
INSERT INTO audit (acted_at, key_name, address, route, request_id, program_id, customer_id, card_id,
    outcome, card_before, card_after, actor_kind, reason, subject_kind, subject_id, bank_id)
    VALUES (1767225600001, 'anna', '', 'publish document', '', 0, 0, 0, 'changed', '', '',
        'operator', 'new terms', 'document', '1000002', 1);
INSERT INTO documents (document_id, bank_id, culture, type, title, html, effective_at, published_at)
    VALUES (1000002, 1, 'en-US', 'EftInfo', 'Title', '<p>Text</p>', 1767225600001, 1767225600001);
INSERT INTO document_drafts (bank_id, culture, type, title, html)
    VALUES (1, 'en-US', 'EftInfo', 'Next title', '');
