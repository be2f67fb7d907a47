-- Cards, the accounts they draw on, and their numbers. The checks say which states no card can
-- be in, whatever the code above does.

-- +goose Up
CREATE TABLE cards (
    card_id          INTEGER PRIMARY KEY AUTOINCREMENT CHECK (card_id BETWEEN 1 AND 2147483647),
    program_id       BIGINT NOT NULL, -- the foreign keys below see to it that it exists
    customer_id      BIGINT NOT NULL,
    holder_id        BIGINT NOT NULL,
    type             TEXT NOT NULL CHECK (type IN ('DBT', 'CDT')),
    vendor           TEXT NOT NULL CHECK (vendor IN ('VS', 'MC')),
    bin_id           BIGINT NOT NULL,
    status           TEXT NOT NULL,
    lock_type        TEXT NOT NULL,
    lock_reason      TEXT NOT NULL,
    tag              TEXT CHECK (tag <> ''),
    nickname         TEXT NOT NULL,
    nick_key         TEXT NOT NULL, -- the nickname in lower case
    first_name       TEXT NOT NULL,
    middle_name      TEXT NOT NULL,
    last_name        TEXT NOT NULL,
    qualifier        TEXT NOT NULL,
    last_four        TEXT NOT NULL,
    expire_month     BIGINT NOT NULL CHECK (expire_month BETWEEN 1 AND 12),
    expire_year      BIGINT NOT NULL CHECK (expire_year BETWEEN 1000 AND 9999),
    is_digital_only  BOOLEAN NOT NULL,
    primary_category TEXT NOT NULL CHECK (primary_category IN ('Checking', 'Savings')),
    created_at       BIGINT NOT NULL,
    requested_at     BIGINT,
    verified_at      BIGINT,
    reissued_at      BIGINT,
    denied_at        BIGINT,
    expired_at       BIGINT,
    archived_at      BIGINT,
    modified_at      BIGINT NOT NULL,
    revision         BIGINT NOT NULL CHECK (revision >= 1),

    FOREIGN KEY (program_id, customer_id) REFERENCES customers (program_id, customer_id),
    FOREIGN KEY (program_id, holder_id) REFERENCES customers (program_id, customer_id),
    FOREIGN KEY (program_id, bin_id) REFERENCES bins (program_id, bin_id),

    CONSTRAINT card_status CHECK (status IN (
        'Initiated', 'PendingVerification', 'ReissuePendingVerification', 'Verified',
        'Reissued', 'Denied', 'Expired', 'Archived')),
    CONSTRAINT card_lock CHECK (
        (lock_type = 'UNL' AND lock_reason = 'UNK') OR
        (lock_type = 'CST' AND lock_reason IN
            ('UNK', 'FRD', 'DMG', 'ADM', 'TMP', 'LST', 'STL')) OR
        (lock_type = 'SYS' AND lock_reason IN
            ('UNK', 'FRD', 'DMG', 'ADM', 'TMP', 'LST', 'STL', 'PIN'))),

    -- A denied card can be archived, and then both dates stand. Being reissued or expired can be
    -- followed by more, so those dates may outlast their status.
    CONSTRAINT card_verified CHECK (status <> 'Verified' OR verified_at IS NOT NULL),
    CONSTRAINT card_reissued CHECK (status <> 'Reissued' OR reissued_at IS NOT NULL),
    CONSTRAINT card_expired CHECK (status <> 'Expired' OR expired_at IS NOT NULL),
    CONSTRAINT card_denied CHECK (
        (status <> 'Denied' OR denied_at IS NOT NULL) AND
        (denied_at IS NULL OR status IN ('Denied', 'Archived'))),
    CONSTRAINT card_archived CHECK ((status = 'Archived') = (archived_at IS NOT NULL)),
    CONSTRAINT card_modified CHECK (modified_at >= created_at)
);

-- The first card that is not numbered by hand is 10001.
INSERT INTO sqlite_sequence (name, seq) VALUES ('cards', 10000);

CREATE UNIQUE INDEX cards_tag ON cards (program_id, tag) WHERE tag IS NOT NULL;
-- A nickname is free again when its card can never be used again.
CREATE UNIQUE INDEX cards_nickname ON cards (customer_id, nick_key)
    WHERE status NOT IN ('Archived', 'Reissued', 'Denied');
CREATE INDEX cards_customer ON cards (customer_id);
CREATE INDEX cards_holder ON cards (holder_id);
CREATE INDEX cards_unverified ON cards (program_id, created_at)
    WHERE status IN ('PendingVerification', 'ReissuePendingVerification');

CREATE TABLE card_slots (
    card_id    BIGINT NOT NULL REFERENCES cards (card_id),
    category   TEXT NOT NULL CHECK (category IN ('Checking', 'Savings')),
    priority   BIGINT NOT NULL CHECK (priority BETWEEN 1 AND 4),
    account_id BIGINT NOT NULL REFERENCES accounts (account_id),
    UNIQUE (card_id, category, priority),
    UNIQUE (card_id, account_id)
);
CREATE INDEX card_slots_account ON card_slots (account_id);

-- A number is never issued twice, so its digest is kept for ever.
CREATE TABLE card_numbers (
    digest    BLOB NOT NULL UNIQUE,
    sealed    BLOB NOT NULL,
    last_four TEXT NOT NULL,
    bin_id    BIGINT NOT NULL REFERENCES bins (bin_id),
    card_id   BIGINT NOT NULL UNIQUE REFERENCES cards (card_id)
);
CREATE INDEX card_numbers_bin ON card_numbers (bin_id);
