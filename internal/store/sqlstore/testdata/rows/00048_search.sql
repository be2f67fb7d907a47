-- A block with a number, and a row of the index of n-grams.
UPDATE card_texts SET number = 1 WHERE last_card = 10001;
INSERT INTO card_grams (part, segment, slices) VALUES (0, 0, 'a');
