-- Rows as the twenty-sixth version keeps them: a card that was locked, a block of search texts, a
-- card that was inserted late, and the mark of the packing, which the migration itself has made.
UPDATE cards SET lock_type = 'CST', lock_reason = 'TMP' WHERE card_id = 10001;
INSERT INTO card_texts (last_card, first_card, cards, texts) VALUES (10001, 10001, 1, 'a');
INSERT INTO late_cards (card_id) VALUES (10001);
