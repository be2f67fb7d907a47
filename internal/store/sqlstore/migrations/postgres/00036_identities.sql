-- Who acted, by kind and number. actor_id is the number of an operator or a token, 0 in older rows and
-- for other actors. A token has an owner: the person at the root of the chain of tokens that made it,
-- or 'load' for the machine; it is empty in older rows, and in those that a program of the version
-- before writes. An entry with an actor_id seems changed to that program, which does not read it.
-- An answer to an operator is kept under kind and number in place of the name, where the name says who
-- it was. A program of the version before does not find it, and one of this version none of that one.

-- +goose Up
ALTER TABLE audit ADD COLUMN actor_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE operator_tokens ADD COLUMN owner_kind TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE operator_tokens ADD COLUMN owner_id BIGINT NOT NULL DEFAULT 0;

-- The audit knows the tokens that commands on the machine made.
UPDATE operator_tokens SET owner_kind = 'load' WHERE EXISTS (
    SELECT 1 FROM audit WHERE subject_kind = 'token'
        AND subject_id = CAST(operator_tokens.token_id AS TEXT) AND card_id = 0
        AND actor_kind = 'load' AND route = 'create token');

UPDATE operator_answers SET operator = (
        SELECT 'operator:' || operator_id FROM operators WHERE name = operator_answers.operator)
    WHERE operator IN (SELECT name FROM operators)
        AND operator NOT IN (SELECT name FROM operator_tokens);
UPDATE operator_answers SET operator = (
        SELECT 'token:' || token_id FROM operator_tokens WHERE name = operator_answers.operator)
    WHERE operator IN (SELECT name FROM operator_tokens)
        AND operator NOT IN (SELECT name FROM operators);
