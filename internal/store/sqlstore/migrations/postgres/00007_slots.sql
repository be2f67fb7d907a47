-- Nobody looks for cards by an account, and accounts are never deleted. Each new card had to write
-- to a page of this index that hardly another one shared with it.
-- Contracts: card_slots_account, which no version asks for.

-- +goose Up
DROP INDEX card_slots_account;
