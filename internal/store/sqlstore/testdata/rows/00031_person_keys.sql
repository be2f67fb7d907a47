-- The key of the people of a card.
INSERT INTO person_keys (card_id, sealed) VALUES (10001, '1');
