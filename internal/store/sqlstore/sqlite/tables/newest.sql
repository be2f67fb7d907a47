-- The newest tables, printed from the migrations by go test -update. Change the migrations.

CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);

CREATE TABLE banks (
    bank_id INTEGER PRIMARY KEY CHECK (bank_id BETWEEN 1 AND 2147483647),
    name    TEXT NOT NULL
, revision BIGINT NOT NULL DEFAULT 1);

CREATE TABLE pci_keys (
    pci_key_id INTEGER PRIMARY KEY,
    bank_id    BIGINT NOT NULL REFERENCES banks (bank_id),
    status     BIGINT NOT NULL CHECK (status BETWEEN 1 AND 3)
, revision BIGINT NOT NULL DEFAULT 1);

CREATE INDEX pci_keys_bank ON pci_keys (bank_id);

CREATE TABLE programs (
    program_id               INTEGER PRIMARY KEY CHECK (program_id BETWEEN 1 AND 2147483647),
    bank_id                  BIGINT NOT NULL REFERENCES banks (bank_id),
    verification_window_days BIGINT NOT NULL CHECK (verification_window_days >= 0),
    settings                 TEXT NOT NULL
, revision BIGINT NOT NULL DEFAULT 1, renewal TEXT NOT NULL DEFAULT ''
    CHECK (renewal IN ('', 'automatic', 'manual')), balances TEXT NOT NULL DEFAULT ''
    CHECK (balances IN ('', 'core', 'mintmark')), four_eyes BOOLEAN NOT NULL DEFAULT FALSE, currency TEXT NOT NULL DEFAULT '', fenced_at BIGINT);

CREATE TABLE bins (
    bin_id       INTEGER PRIMARY KEY CHECK (bin_id BETWEEN 1 AND 2147483647),
    program_id   BIGINT NOT NULL REFERENCES programs (program_id),
    vendor       TEXT NOT NULL CHECK (vendor IN ('VS', 'MC')),
    description  TEXT NOT NULL,
    is_active    BOOLEAN NOT NULL,
    first_body   TEXT NOT NULL,
    last_body    TEXT NOT NULL,
    valid_months BIGINT NOT NULL CHECK (valid_months >= 0), revision BIGINT NOT NULL DEFAULT 1,
    UNIQUE (program_id, bin_id)
);

CREATE TABLE documents (
    document_id  INTEGER PRIMARY KEY CHECK (document_id BETWEEN 1 AND 2147483647),
    bank_id      BIGINT NOT NULL REFERENCES banks (bank_id),
    culture      TEXT NOT NULL,
    type         TEXT NOT NULL,
    title        TEXT NOT NULL,
    html         TEXT NOT NULL,
    effective_at BIGINT,
    expires_at   BIGINT,
    -- Last, so that a list of documents does not have to read past the bytes.
    pdf          BLOB
, revision BIGINT NOT NULL DEFAULT 1, published_at BIGINT);

CREATE INDEX documents_bank ON documents (bank_id, culture);

CREATE TABLE api_keys (
    name       TEXT NOT NULL PRIMARY KEY,
    program_id BIGINT NOT NULL REFERENCES programs (program_id),
    version    BIGINT NOT NULL CHECK (version IN (1, 2)),
    secrets    TEXT NOT NULL,
    allow_list TEXT NOT NULL,
    per_second DOUBLE PRECISION NOT NULL CHECK (per_second >= 0),
    burst      BIGINT NOT NULL CHECK (burst >= 0)
, revoked_at BIGINT, compatibility TEXT NOT NULL DEFAULT 'null', revision BIGINT NOT NULL DEFAULT 1, label TEXT NOT NULL DEFAULT '');

CREATE TABLE access_revision (
    one_row  INTEGER PRIMARY KEY CHECK (one_row = 1),
    revision BIGINT NOT NULL
);

CREATE TABLE customers (
    customer_id  INTEGER PRIMARY KEY CHECK (customer_id BETWEEN 1 AND 2147483647),
    program_id   BIGINT NOT NULL REFERENCES programs (program_id),
    status       TEXT NOT NULL
        CHECK (status IN ('Initiated', 'Manual Review', 'Verified', 'Denied', 'Archived')),
    access_type  TEXT NOT NULL CHECK (access_type IN ('FULL', 'ACCT', 'CARD', 'NONE')),
    is_active    BOOLEAN NOT NULL,
    is_locked    BOOLEAN NOT NULL,
    deceased_on  BIGINT,
    born_on      BIGINT,
    first_name   TEXT NOT NULL,
    last_name    TEXT NOT NULL,
    mobile_phone TEXT NOT NULL,
    home_phone   TEXT NOT NULL,
    mailing      TEXT NOT NULL,
    residence    TEXT NOT NULL, revision BIGINT NOT NULL DEFAULT 1,
    UNIQUE (program_id, customer_id)
);

CREATE TABLE accounts (
    account_id          INTEGER PRIMARY KEY CHECK (account_id BETWEEN 1 AND 2147483647),
    program_id          BIGINT NOT NULL,
    customer_id         BIGINT NOT NULL,
    type                TEXT NOT NULL CHECK (type IN ('Checking', 'Savings', 'ForBenefitOf')),
    status              TEXT NOT NULL
        CHECK (status IN ('PendingOpen', 'Open', 'Dormant', 'PendingClosed', 'Closed')),
    name                TEXT NOT NULL,
    tag                 TEXT NOT NULL,
    number_masked       TEXT NOT NULL,
    balance             BIGINT NOT NULL,
    available_balance   BIGINT NOT NULL,
    pending_balance     BIGINT NOT NULL,
    balance_modified_at BIGINT,
    modified_at         BIGINT, revision BIGINT NOT NULL DEFAULT 1, held BIGINT NOT NULL DEFAULT 0, balance_changed_at BIGINT,
    FOREIGN KEY (program_id, customer_id) REFERENCES customers (program_id, customer_id)
);

CREATE INDEX accounts_customer ON accounts (customer_id);

CREATE TABLE account_access (
    customer_id BIGINT NOT NULL REFERENCES customers (customer_id),
    account_id  BIGINT NOT NULL REFERENCES accounts (account_id),
    type        TEXT NOT NULL CHECK (type IN ('FULL', 'RDONLY', 'NONE')), revision BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (customer_id, account_id)
);

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
    revision         BIGINT NOT NULL CHECK (revision >= 1), orders BIGINT NOT NULL DEFAULT -1, shipped_at BIGINT, replaces BIGINT NOT NULL DEFAULT 0, replaced_by BIGINT NOT NULL DEFAULT 0,

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

CREATE UNIQUE INDEX cards_tag ON cards (program_id, tag) WHERE tag IS NOT NULL;

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

CREATE TABLE card_numbers (
    digest    BLOB NOT NULL UNIQUE,
    sealed    BLOB NOT NULL,
    last_four TEXT NOT NULL,
    bin_id    BIGINT NOT NULL REFERENCES bins (bin_id),
    card_id   BIGINT NOT NULL UNIQUE REFERENCES cards (card_id)
, second_digest BLOB, digest_key BIGINT NOT NULL DEFAULT 0);

CREATE INDEX card_numbers_bin ON card_numbers (bin_id);

CREATE TABLE attempts (
    attempt_id INTEGER PRIMARY KEY AUTOINCREMENT,
    card_id    BIGINT NOT NULL REFERENCES cards (card_id),
    kind       TEXT NOT NULL CHECK (kind IN ('verify failed', 'pin taken')),
    tried_at   BIGINT NOT NULL
);

CREATE INDEX attempts_card ON attempts (card_id, kind, tried_at);

CREATE TABLE audit (
    audit_id    INTEGER PRIMARY KEY AUTOINCREMENT,
    acted_at    BIGINT NOT NULL,
    key_name    TEXT NOT NULL,
    address     TEXT NOT NULL,
    route       TEXT NOT NULL,
    request_id  TEXT NOT NULL,
    program_id  BIGINT NOT NULL,
    customer_id BIGINT NOT NULL,
    card_id     BIGINT NOT NULL,
    outcome     TEXT NOT NULL,
    card_before TEXT NOT NULL,
    card_after  TEXT NOT NULL
, actor_kind   TEXT NOT NULL DEFAULT '', reason       TEXT NOT NULL DEFAULT '', subject_kind TEXT NOT NULL DEFAULT '', subject_id   TEXT NOT NULL DEFAULT '', digest BLOB, bank_id BIGINT NOT NULL DEFAULT 0, actor_id BIGINT NOT NULL DEFAULT 0);

CREATE INDEX audit_card ON audit (program_id, card_id, audit_id);

CREATE TABLE replays (
    key_name        TEXT NOT NULL REFERENCES api_keys (name),
    route           TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body_digest     BLOB NOT NULL,
    http_status     BIGINT NOT NULL,
    answer          BLOB NOT NULL,
    answered_at     BIGINT NOT NULL,
    PRIMARY KEY (key_name, route, idempotency_key)
);

CREATE INDEX replays_answered ON replays (answered_at);

CREATE TABLE leases (
    name     TEXT NOT NULL PRIMARY KEY CHECK (name <> ''),
    holder   TEXT NOT NULL CHECK (holder <> ''),
    until_at BIGINT NOT NULL
);

CREATE TABLE installation (
    one_row             INTEGER PRIMARY KEY CHECK (one_row = 1),
    environment         TEXT NOT NULL CHECK (environment IN ('production', 'sandbox')),
    keyset_fingerprint  TEXT NOT NULL CHECK (keyset_fingerprint <> ''),
    pin_key_fingerprint TEXT NOT NULL CHECK (pin_key_fingerprint <> ''),
    made_at             BIGINT NOT NULL
);

CREATE TABLE retired_secrets (
    digest     BLOB NOT NULL PRIMARY KEY,
    key_name   TEXT NOT NULL,
    retired_at BIGINT NOT NULL
);

CREATE TABLE "orders" (
    order_id       INTEGER PRIMARY KEY AUTOINCREMENT,
    card_id        BIGINT NOT NULL REFERENCES cards (card_id),
    kind           TEXT NOT NULL CHECK (kind = 'card' OR kind = 'renew' OR kind = 'pin'
                       OR kind = 'card.make' OR kind = 'card.remake' OR kind = 'card.lock'
                       OR kind = 'card.unlock' OR kind = 'card.hotlist' OR kind = 'card.close'
                       OR kind = 'card.accounts' OR kind = 'card.pin'),
    sealed_pin     BLOB,
    created_at     BIGINT NOT NULL,
    done_at        BIGINT CHECK (done_at >= created_at),
    pin_expired_at BIGINT
        CHECK (pin_expired_at IS NULL OR sealed_pin IS NULL AND pin_expired_at >= created_at),
    token          TEXT,
    sequence       BIGINT CHECK (sequence > 0),
    state          TEXT NOT NULL DEFAULT 'waiting'
        CHECK (state = 'waiting' OR state = 'sent' OR state = 'done' OR state = 'failed'
            OR state = 'held'),
    urgent         BOOLEAN NOT NULL DEFAULT FALSE,
    snapshot       TEXT NOT NULL DEFAULT '{}',
    expire_month   BIGINT NOT NULL DEFAULT 0,
    expire_year    BIGINT NOT NULL DEFAULT 0,
    attempts       BIGINT NOT NULL DEFAULT 0,
    last_error     TEXT NOT NULL DEFAULT '',
    unreachable    BOOLEAN NOT NULL DEFAULT FALSE,
    next_try_at    BIGINT NOT NULL DEFAULT 0,
    claimed_by     TEXT NOT NULL DEFAULT '',
    begun_at       BIGINT,
    dropped_at     BIGINT,
    revision       BIGINT NOT NULL DEFAULT 1
, emptied_at BIGINT, in_file BIGINT, tries TEXT NOT NULL DEFAULT 'null');

CREATE INDEX orders_open ON orders (order_id) WHERE done_at IS NULL;

CREATE INDEX orders_pins ON orders (created_at, order_id) WHERE sealed_pin IS NOT NULL;

CREATE INDEX orders_card ON orders (card_id, done_at, order_id);

CREATE INDEX orders_due ON orders (urgent, next_try_at, order_id)
    WHERE state = 'waiting' AND done_at IS NULL;

CREATE INDEX orders_unreached ON orders (order_id)
    WHERE state = 'waiting' AND done_at IS NULL AND urgent AND unreachable;

CREATE INDEX orders_failed ON orders (order_id) WHERE state = 'failed' AND dropped_at IS NULL;

CREATE TRIGGER order_unnumbered AFTER INSERT ON orders WHEN NEW.sequence IS NULL BEGIN
    UPDATE cards SET orders = -1 - orders WHERE card_id = NEW.card_id AND orders >= 0;
END;

CREATE TABLE reports (
    report_id   TEXT NOT NULL PRIMARY KEY,
    order_id    TEXT NOT NULL,   -- empty when the report names none
    card_id     BIGINT NOT NULL,
    program_id  BIGINT NOT NULL, -- 0 when there is no such card
    kind        TEXT NOT NULL,
    reported_at BIGINT NOT NULL, -- when it happened, says the processor
    reason      TEXT NOT NULL,
    received_at BIGINT NOT NULL,
    result      TEXT NOT NULL CHECK (result IN ('applied', 'ignored')),
    why         TEXT NOT NULL    -- it was ignored
);

CREATE INDEX reports_card ON reports (card_id, received_at);

CREATE INDEX reports_ignored ON reports (received_at) WHERE result = 'ignored';

CREATE TABLE holds (
    hold_id          TEXT NOT NULL PRIMARY KEY,
    authorization_id TEXT NOT NULL,
    program_id       BIGINT NOT NULL,
    customer_id      BIGINT NOT NULL,
    card_id          BIGINT NOT NULL,
    account_id       BIGINT NOT NULL,
    kind             TEXT NOT NULL CHECK (kind IN ('purchase', 'withdrawal', 'deposit')),
    amount           BIGINT NOT NULL CHECK (amount > 0),
    counted_day      BIGINT NOT NULL,
    placed_at        BIGINT NOT NULL,
    ends_at          BIGINT NOT NULL CHECK (ends_at >= placed_at)
, later TEXT NOT NULL DEFAULT 'null', particulars TEXT NOT NULL DEFAULT '{}');

CREATE INDEX holds_due ON holds (program_id, ends_at);

CREATE TABLE hold_ends (
    hold_id    TEXT NOT NULL PRIMARY KEY,
    program_id BIGINT NOT NULL,
    card_id    BIGINT NOT NULL,
    account_id BIGINT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('purchase', 'withdrawal', 'deposit')),
    ended_by   TEXT NOT NULL CHECK (ended_by IN ('posted', 'released', 'expired')),
    posting_id TEXT NOT NULL,
    ended_at   BIGINT NOT NULL, emptied BOOLEAN NOT NULL DEFAULT FALSE, authorization_id TEXT NOT NULL DEFAULT '',
    CHECK ((ended_by = 'posted') = (posting_id <> ''))
);

CREATE TABLE postings (
    posting_id     TEXT NOT NULL PRIMARY KEY CHECK (posting_id <> ''),
    request_digest BLOB NOT NULL,
    hold_id        TEXT NOT NULL, -- empty without one
    program_id     BIGINT NOT NULL,
    customer_id    BIGINT NOT NULL,
    card_id        BIGINT NOT NULL,
    account_id     BIGINT NOT NULL,
    kind           TEXT NOT NULL CHECK (kind IN ('purchase', 'withdrawal', 'deposit')),
    amount         BIGINT NOT NULL CHECK (amount > 0),
    posted_at      BIGINT NOT NULL
);

CREATE TABLE usages (
    program_id  BIGINT NOT NULL,
    customer_id BIGINT NOT NULL,
    direction   TEXT NOT NULL CHECK (direction IN ('withdraw', 'deposit')),
    day         BIGINT NOT NULL,
    of_day      BIGINT NOT NULL CHECK (of_day >= 0),
    of_month    BIGINT NOT NULL CHECK (of_month >= 0),
    revision    BIGINT NOT NULL,
    PRIMARY KEY (program_id, customer_id, direction)
);

CREATE TABLE sealed_batches (
    first_sequence   INTEGER PRIMARY KEY CHECK (first_sequence > 0),
    entries          BIGINT NOT NULL CHECK (entries > 0),
    audit_ids        BLOB NOT NULL,
    newest_audit_id  BIGINT NOT NULL,
    settled_audit_id BIGINT NOT NULL,
    transaction_id   BIGINT NOT NULL DEFAULT (0),
    first_event      BIGINT NOT NULL CHECK (first_event > 0),
    sealed_at        BIGINT NOT NULL,
    root             BLOB NOT NULL,
    note             TEXT NOT NULL
);

CREATE INDEX sealed_batches_newest ON sealed_batches (newest_audit_id);

CREATE INDEX sealed_batches_event ON sealed_batches (first_event, first_sequence);

CREATE TABLE sealed_hashes (
    first_hash INTEGER PRIMARY KEY CHECK (first_hash >= 0),
    hashes     BLOB NOT NULL
);

CREATE TABLE archived_entries (
    through_sequence INTEGER PRIMARY KEY,
    archived_at      BIGINT NOT NULL
);

CREATE TABLE webhooks (
    webhook_id     INTEGER PRIMARY KEY AUTOINCREMENT,
    program_id     BIGINT NOT NULL REFERENCES programs (program_id),
    name           TEXT NOT NULL CHECK (name <> ''),
    url            TEXT NOT NULL CHECK (url <> ''),
    types          TEXT NOT NULL,
    secrets        TEXT NOT NULL,
    paused         BOOLEAN NOT NULL,
    paused_because TEXT NOT NULL,
    created_at     BIGINT NOT NULL,
    revision       BIGINT NOT NULL DEFAULT 1, earlier_types TEXT NOT NULL DEFAULT '[]', deleted_at BIGINT, answers_emptied BIGINT NOT NULL DEFAULT 0,
    UNIQUE (program_id, name)
);

CREATE TABLE webhook_endpoints (
    webhook_id    BIGINT NOT NULL PRIMARY KEY REFERENCES webhooks (webhook_id),
    position      BIGINT NOT NULL CHECK (position >= 0),
    node          TEXT NOT NULL DEFAULT '',
    claimed_until BIGINT
);

CREATE TABLE deliveries (
    webhook_id BIGINT NOT NULL REFERENCES webhooks (webhook_id),
    event      BIGINT NOT NULL CHECK (event > 0),
    lane       BIGINT NOT NULL,
    type       TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('waiting', 'dead')),
    tries      BIGINT NOT NULL CHECK (tries >= 0),
    next_at    BIGINT CHECK (next_at IS NULL OR state = 'waiting'),
    last_error TEXT NOT NULL,
    since      BIGINT NOT NULL,
    PRIMARY KEY (webhook_id, event)
);

CREATE INDEX deliveries_due ON deliveries (next_at, webhook_id) WHERE next_at IS NOT NULL;

CREATE INDEX deliveries_lane ON deliveries (webhook_id, lane, event) WHERE state = 'waiting';

CREATE INDEX deliveries_dead ON deliveries (since) WHERE state = 'dead';

CREATE TABLE delivery_attempts (
    attempt_id  INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook_id  BIGINT NOT NULL REFERENCES webhooks (webhook_id),
    event       BIGINT NOT NULL,
    tried_at    BIGINT NOT NULL,
    http_status BIGINT NOT NULL,
    millis      BIGINT NOT NULL,
    error       TEXT NOT NULL,
    answer      TEXT NOT NULL
);

CREATE INDEX delivery_attempts_event ON delivery_attempts (webhook_id, event, attempt_id);

CREATE INDEX delivery_attempts_newest ON delivery_attempts (webhook_id, attempt_id);

CREATE INDEX delivery_attempts_tried ON delivery_attempts (tried_at);

CREATE TABLE webhook_replays (
    replay_id  INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook_id BIGINT NOT NULL REFERENCES webhooks (webhook_id),
    from_at    BIGINT,
    to_at      BIGINT,
    position   BIGINT NOT NULL,
    last_event BIGINT NOT NULL,
    events     BIGINT NOT NULL,
    sent       BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    ended_at   BIGINT
, types TEXT NOT NULL DEFAULT 'null');

CREATE INDEX webhook_replays_webhook ON webhook_replays (webhook_id, replay_id);

CREATE INDEX webhook_replays_open ON webhook_replays (webhook_id) WHERE ended_at IS NULL;

CREATE TABLE jobs (
    name      TEXT NOT NULL PRIMARY KEY CHECK (name <> ''),
    node      TEXT NOT NULL,
    began_at  BIGINT NOT NULL,
    ended_at  BIGINT, -- of the last run that has ended
    done      BOOLEAN NOT NULL, -- whether that run did its work
    next_at   BIGINT NOT NULL,
    error     TEXT NOT NULL, -- of the last run that has failed
    failed_at BIGINT
);

CREATE TABLE notices (
    kind     TEXT NOT NULL CHECK (kind <> ''),
    subject  TEXT NOT NULL,
    moment   BIGINT NOT NULL,
    noted_at BIGINT NOT NULL,
    PRIMARY KEY (kind, subject, moment)
);

CREATE INDEX cards_expiring ON cards (program_id, expire_year, expire_month, card_id)
    WHERE status = 'Verified';

CREATE INDEX documents_effective ON documents (effective_at);

CREATE INDEX documents_expires ON documents (expires_at)
    WHERE expires_at IS NOT NULL;

CREATE INDEX programs_bank ON programs (bank_id);

CREATE TABLE operators (
    operator_id     INTEGER PRIMARY KEY AUTOINCREMENT,
    name            TEXT NOT NULL UNIQUE CHECK (name <> ''),
    roles           TEXT NOT NULL,
    all_banks       BOOLEAN NOT NULL,
    banks           TEXT NOT NULL,
    state           TEXT NOT NULL CHECK (state = 'invited' OR state = 'active' OR state = 'ended'),
    openid          TEXT UNIQUE, -- issuer and subject
    created_at      BIGINT NOT NULL,
    last_sign_in_at BIGINT,
    sessions_since  BIGINT,
    revision        BIGINT NOT NULL DEFAULT 1
);

CREATE TABLE operator_credentials (
    operator_id BIGINT NOT NULL PRIMARY KEY REFERENCES operators (operator_id),
    password    TEXT NOT NULL, -- its argon2id hash
    totp        BLOB, -- sealed
    last_step   BIGINT NOT NULL
);

CREATE TABLE invitations (
    operator_id BIGINT NOT NULL PRIMARY KEY REFERENCES operators (operator_id),
    digest      BLOB NOT NULL UNIQUE,
    totp        BLOB NOT NULL, -- sealed
    expires_at  BIGINT NOT NULL
);

CREATE TABLE operator_tokens (
    token_id     INTEGER PRIMARY KEY AUTOINCREMENT,
    name         TEXT NOT NULL UNIQUE CHECK (name <> ''),
    digest       BLOB NOT NULL UNIQUE,
    roles        TEXT NOT NULL,
    all_banks    BOOLEAN NOT NULL,
    banks        TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT,
    revoked_at   BIGINT,
    last_used_at BIGINT,
    revision     BIGINT NOT NULL DEFAULT 1
, owner_kind TEXT NOT NULL DEFAULT '', owner_id BIGINT NOT NULL DEFAULT 0);

CREATE TABLE console_sessions (
    digest     BLOB NOT NULL PRIMARY KEY,
    data       BLOB NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX console_sessions_expires ON console_sessions (expires_at);

CREATE TABLE sign_ins (
    sign_in_id INTEGER PRIMARY KEY AUTOINCREMENT,
    account    TEXT NOT NULL,
    address    TEXT NOT NULL,
    tried_at   BIGINT NOT NULL
);

CREATE INDEX sign_ins_account ON sign_ins (account, tried_at);

CREATE INDEX sign_ins_address ON sign_ins (address, tried_at);

CREATE INDEX sign_ins_tried ON sign_ins (tried_at);

CREATE TABLE operator_answers (
    operator        TEXT NOT NULL,
    route           TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body_digest     BLOB NOT NULL,
    http_status     BIGINT NOT NULL,
    answer          BLOB NOT NULL,
    answered_at     BIGINT NOT NULL,
    PRIMARY KEY (operator, route, idempotency_key)
);

CREATE INDEX operator_answers_answered ON operator_answers (answered_at);

CREATE UNIQUE INDEX api_keys_label ON api_keys (program_id, label) WHERE label <> '';

CREATE TABLE key_uses (
    key_name TEXT NOT NULL PRIMARY KEY CHECK (key_name <> ''),
    used_at  BIGINT NOT NULL
);

CREATE INDEX cards_by_status ON cards (program_id, status, card_id) WHERE card_id > 0;

CREATE TABLE locked_cards (
    program_id BIGINT NOT NULL,
    card_id    BIGINT NOT NULL,
    PRIMARY KEY (program_id, card_id)
);

CREATE TRIGGER card_made_locked AFTER INSERT ON cards WHEN NEW.lock_type <> 'UNL' BEGIN
    INSERT OR IGNORE INTO locked_cards (program_id, card_id) VALUES (NEW.program_id, NEW.card_id);
END;

CREATE TRIGGER card_locked AFTER UPDATE OF lock_type ON cards WHEN NEW.lock_type <> 'UNL' BEGIN
    INSERT OR IGNORE INTO locked_cards (program_id, card_id) VALUES (NEW.program_id, NEW.card_id);
END;

CREATE TABLE card_texts (
    last_card  INTEGER PRIMARY KEY,
    first_card BIGINT NOT NULL,
    cards      BIGINT NOT NULL CHECK (cards > 0),
    texts      BLOB NOT NULL
, number BIGINT);

CREATE TABLE late_cards (
    card_id INTEGER PRIMARY KEY
);

CREATE TABLE card_packing (
    one_row      INTEGER PRIMARY KEY CHECK (one_row = 1),
    settled_card BIGINT NOT NULL,
    newest_card  BIGINT NOT NULL,
    looked_at    BIGINT NOT NULL
);

CREATE INDEX audit_program ON audit (program_id, audit_id);

CREATE INDEX audit_bank ON audit (bank_id, audit_id) WHERE bank_id <> 0;

CREATE INDEX audit_subject ON audit (subject_kind, subject_id, audit_id) WHERE card_id = 0;

CREATE INDEX audit_actor ON audit (key_name, audit_id) WHERE actor_kind <> 'key';

CREATE TABLE document_drafts (
    document_id  INTEGER PRIMARY KEY AUTOINCREMENT
        CHECK (document_id BETWEEN 1 AND 2147483647),
    bank_id      BIGINT NOT NULL REFERENCES banks (bank_id),
    culture      TEXT NOT NULL,
    type         TEXT NOT NULL,
    title        TEXT NOT NULL,
    html         TEXT NOT NULL,
    effective_at BIGINT,
    expires_at   BIGINT,
    revision     BIGINT NOT NULL DEFAULT 1,
    -- Last, so that a list of drafts does not have to read past the bytes.
    pdf          BLOB
);

CREATE INDEX document_drafts_bank ON document_drafts (bank_id, document_id);

CREATE TABLE sandbox (
    one_row    INTEGER PRIMARY KEY CHECK (one_row = 1),
    generation BIGINT NOT NULL DEFAULT 0,
    note       BLOB,
    settings   BIGINT NOT NULL DEFAULT 0,
    ahead      BIGINT NOT NULL DEFAULT 0,
    frozen_at  TEXT NOT NULL DEFAULT ''
);

CREATE TABLE sandbox_worlds (
    world_id       BIGINT NOT NULL PRIMARY KEY,
    name           TEXT NOT NULL UNIQUE,
    made_at        BIGINT NOT NULL,
    schema_version BIGINT NOT NULL,
    note           BLOB NOT NULL
);

CREATE TABLE sandbox_numbers (
    world_id BIGINT NOT NULL REFERENCES sandbox_worlds (world_id),
    source   TEXT NOT NULL,
    next     BIGINT NOT NULL,
    PRIMARY KEY (world_id, source)
);

CREATE TABLE bank_keys (
    key_id     BIGINT NOT NULL PRIMARY KEY CHECK (key_id BETWEEN 1 AND 2147483647),
    pci_key_id BIGINT NOT NULL REFERENCES pci_keys (pci_key_id),
    state      TEXT NOT NULL
        CHECK (state IN ('active', 'decrypt-only', 'compromised', 'retired')),
    made_at    BIGINT NOT NULL,
    wrapped    BLOB NOT NULL,
    revision   BIGINT NOT NULL DEFAULT 1,
    CHECK ((state = 'retired') = (length(wrapped) = 0))
);

CREATE INDEX bank_keys_pci ON bank_keys (pci_key_id, made_at);

CREATE UNIQUE INDEX bank_keys_active ON bank_keys (pci_key_id) WHERE state = 'active';

CREATE INDEX card_numbers_key ON card_numbers (substr(sealed, 1, 5), card_id);

CREATE INDEX orders_pin_key ON orders (substr(sealed_pin, 1, 5), order_id)
    WHERE sealed_pin IS NOT NULL;

CREATE TABLE feeds (
    program_id BIGINT NOT NULL REFERENCES programs (program_id),
    source     TEXT NOT NULL,
    sequence   BIGINT NOT NULL,
    running    BIGINT NOT NULL,
    digest     TEXT NOT NULL,
    line       BIGINT NOT NULL,
    report     BLOB NOT NULL,
    changed_at BIGINT NOT NULL,
    revision   BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (program_id, source)
);

CREATE TABLE person_keys (
    card_id INTEGER PRIMARY KEY,
    sealed  BLOB NOT NULL
);

CREATE TABLE number_digests (
    one_row      BIGINT NOT NULL PRIMARY KEY CHECK (one_row = 1),
    phase        TEXT NOT NULL CHECK (phase IN ('one key', 'two keys', 'moving')),
    key_id       BIGINT NOT NULL CHECK (key_id BETWEEN 0 AND 2147483647),
    wrapped      BLOB,
    next_key_id  BIGINT NOT NULL CHECK (next_key_id BETWEEN 0 AND 2147483647),
    next_wrapped BLOB,
    changed_at   BIGINT NOT NULL,
    generation   BIGINT NOT NULL,
    CHECK ((key_id = 0) = (wrapped IS NULL)),
    CHECK ((next_key_id = 0) = (next_wrapped IS NULL)),
    CHECK ((phase = 'two keys') = (next_key_id <> 0))
);

CREATE UNIQUE INDEX card_numbers_second ON card_numbers (second_digest)
    WHERE second_digest IS NOT NULL;

CREATE TRIGGER number_of_retired_key BEFORE INSERT ON card_numbers
    WHEN NEW.digest_key = 0 AND NEW.second_digest IS NULL
        AND EXISTS (SELECT 1 FROM number_digests WHERE one_row = 1 AND key_id <> 0)
BEGIN
    SELECT RAISE(ABORT, 'the digest key 0 is retired: this program is of an earlier version');
END;

CREATE TABLE reconciliations (
    reconciliation_id INTEGER PRIMARY KEY AUTOINCREMENT
        CHECK (reconciliation_id BETWEEN 1 AND 2147483647),
    program_id  BIGINT NOT NULL REFERENCES programs (program_id),
    kind        TEXT NOT NULL CHECK (kind IN ('cards', 'balances')),
    list_at     BIGINT NOT NULL,
    made_at     BIGINT NOT NULL,
    digest      TEXT NOT NULL,
    who         TEXT NOT NULL,
    compared    BIGINT NOT NULL,
    same        BIGINT NOT NULL,
    in_flight   BIGINT NOT NULL,
    different   BIGINT NOT NULL,
    sorts       TEXT NOT NULL,
    differences TEXT NOT NULL,
    CHECK (compared = same + in_flight + different)
);

CREATE INDEX reconciliations_newest ON reconciliations (program_id, kind, reconciliation_id);

CREATE INDEX orders_created ON orders (created_at);

CREATE INDEX orders_in_file ON orders (in_file) WHERE in_file IS NOT NULL AND done_at IS NULL;

CREATE TABLE "approvals" (
    approval_id INTEGER PRIMARY KEY AUTOINCREMENT,
    state       TEXT NOT NULL CHECK (state = 'waiting' OR state = 'approved' OR state = 'done'
        OR state = 'rejected' OR state = 'withdrawn'),
    act         TEXT NOT NULL CHECK (act <> ''),
    method      TEXT NOT NULL,
    path        TEXT NOT NULL,
    body        BLOB NOT NULL,
    if_match    BIGINT NOT NULL,
    roles       TEXT NOT NULL, -- of which the act needs one, a JSON list
    program_id  BIGINT NOT NULL, -- 0 for an act that belongs to none
    bank_id     BIGINT NOT NULL, -- 0 for an act that belongs to none
    subject     TEXT NOT NULL,
    reason      TEXT NOT NULL,
    asked_by    TEXT NOT NULL, -- who has asked, with roles and scope of that moment, a JSON object
    asked_at    BIGINT NOT NULL,
    lapses_at   BIGINT NOT NULL,
    ended_by    TEXT NOT NULL,
    ended_at    BIGINT CHECK (ended_at IS NULL OR state <> 'waiting'),
    why         TEXT NOT NULL,
    status      BIGINT NOT NULL, -- of the answer to the act, 0 before there is one
    result      BLOB, -- that answer, sealed, until who has asked reads it
    revision    BIGINT NOT NULL DEFAULT 1,
    owner_kind  TEXT NOT NULL DEFAULT '',
    owner_id    BIGINT NOT NULL DEFAULT 0,
    ended_kind  TEXT NOT NULL DEFAULT '',
    ended_id    BIGINT NOT NULL DEFAULT 0,
    begun_at    BIGINT
);

CREATE INDEX approvals_waiting ON approvals (lapses_at) WHERE state = 'waiting';

CREATE INDEX approvals_unread ON approvals (ended_at) WHERE result IS NOT NULL;

CREATE INDEX approvals_owner ON approvals (owner_kind, owner_id, approval_id);

CREATE INDEX approvals_lapses ON approvals (lapses_at);

CREATE INDEX customers_mobile ON customers
    (program_id, SUBSTR(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(mobile_phone,
        ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '/', ''),
        LENGTH(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(mobile_phone,
        ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '/', '')) - 6), customer_id)
    WHERE mobile_phone <> '';

CREATE INDEX customers_home ON customers
    (program_id, SUBSTR(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(home_phone,
        ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '/', ''),
        LENGTH(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(home_phone,
        ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '/', '')) - 6), customer_id)
    WHERE home_phone <> '';

CREATE TABLE "authorizations" (
    authorization_id TEXT NOT NULL PRIMARY KEY CHECK (authorization_id <> ''),
    request_digest   BLOB NOT NULL,
    program_id       BIGINT NOT NULL, -- 0 when the card is unknown
    card_id          BIGINT NOT NULL,
    kind             TEXT NOT NULL CHECK (kind IN ('', 'purchase', 'withdrawal', 'deposit')),
    category         TEXT NOT NULL CHECK (category IN ('', 'Checking', 'Savings')),
    amount           BIGINT NOT NULL CHECK (amount > 0 OR kind = '' AND amount = 0),
    currency         TEXT NOT NULL,
    reason           TEXT NOT NULL CHECK (reason IN (
        'reversed', 'unknownCard', 'cardStatus', 'locked', 'expired', 'customer', 'currency',
        'limit', 'noAccount', 'insufficientFunds', 'approved')),
    account_id       BIGINT NOT NULL,
    happened_at      BIGINT,
    decided_at       BIGINT NOT NULL,
    customer_id      BIGINT NOT NULL DEFAULT 0,
    approved_amount  BIGINT NOT NULL DEFAULT 0,
    details          TEXT NOT NULL DEFAULT '{}',
    root_id          TEXT NOT NULL DEFAULT '',
    advice_digest    BLOB NOT NULL DEFAULT x'',
    advised_by       TEXT NOT NULL DEFAULT '' CHECK (advised_by IN ('', 'standIn', 'network')),
    advised_amount   BIGINT NOT NULL DEFAULT 0,
    would_have       TEXT NOT NULL DEFAULT '',
    grown            BIGINT NOT NULL DEFAULT 0,
    reversed         BIGINT NOT NULL DEFAULT 0,
    posted           BIGINT NOT NULL DEFAULT 0,
    CHECK (advised_by <> '' OR (reason = 'approved') = (account_id <> 0))
);

CREATE TABLE reversals (
    reversal_id      TEXT NOT NULL PRIMARY KEY CHECK (reversal_id <> ''),
    request_digest   BLOB NOT NULL,
    authorization_id TEXT NOT NULL,
    result           TEXT NOT NULL CHECK (result IN (
        'reversed', 'partlyReversed', 'nothingHeld', 'unknown')),
    happened_at      BIGINT,
    reversed_at      BIGINT NOT NULL
);

CREATE INDEX reversals_marks ON reversals (reversed_at) WHERE result = 'unknown';

CREATE TABLE hourly (
    chart      TEXT NOT NULL,
    program_id BIGINT NOT NULL, -- 0 for an unknown card
    hour       BIGINT NOT NULL,
    item       TEXT NOT NULL DEFAULT '',
    label      TEXT NOT NULL,
    count      BIGINT NOT NULL CHECK (count >= 0),
    PRIMARY KEY (chart, program_id, hour, item, label)
);

CREATE INDEX hourly_old ON hourly (hour) WHERE chart <> '';

CREATE TABLE compromises (
    compromise_id INTEGER PRIMARY KEY AUTOINCREMENT
        CHECK (compromise_id BETWEEN 1 AND 2147483647),
    program_id BIGINT NOT NULL REFERENCES programs (program_id),
    name       TEXT NOT NULL CHECK (name <> ''),
    act        TEXT NOT NULL CHECK (act IN ('lock', 'replace')),
    per_day    BIGINT NOT NULL CHECK (per_day >= 0),
    digest     TEXT NOT NULL,
    made_at    BIGINT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id   BIGINT NOT NULL,
    actor_name TEXT NOT NULL,
    reason     TEXT NOT NULL,
    numbers    BIGINT NOT NULL,
    cards      BIGINT NOT NULL CHECK (cards <= numbers),
    statuses   TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'paused', 'done')),
    outcomes   TEXT NOT NULL,
    day        TEXT NOT NULL,
    of_day     BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    revision   BIGINT NOT NULL DEFAULT 1,
    UNIQUE (program_id, act, digest)
);

CREATE INDEX compromises_program ON compromises (program_id, compromise_id);

CREATE INDEX compromises_running ON compromises (compromise_id) WHERE state = 'running';

CREATE TABLE compromised_cards (
    compromise_id BIGINT NOT NULL REFERENCES compromises (compromise_id),
    place         BIGINT NOT NULL CHECK (place >= 0),
    cards         TEXT NOT NULL,
    PRIMARY KEY (compromise_id, place)
);

CREATE INDEX authorizations_card ON authorizations (card_id, decided_at, authorization_id);

CREATE INDEX authorizations_program ON authorizations (program_id, decided_at, authorization_id);

CREATE INDEX authorizations_declined ON authorizations (program_id, decided_at, authorization_id)
    WHERE advised_amount = 0 AND (reason <> 'approved' OR advised_by <> '');

CREATE INDEX authorizations_reason ON authorizations
    (program_id, reason, decided_at, authorization_id) WHERE reason <> 'approved';

CREATE TABLE usage_shares (
    program_id BIGINT NOT NULL,
    lane       BIGINT NOT NULL,
    direction  TEXT NOT NULL CHECK (direction IN ('withdraw', 'deposit')),
    day        BIGINT NOT NULL,
    rest       BIGINT NOT NULL CHECK (rest >= 0),
    revision   BIGINT NOT NULL,
    PRIMARY KEY (program_id, lane, direction)
);

CREATE INDEX cards_last_four ON cards (last_four, card_id);

CREATE INDEX card_texts_numbers ON card_texts (last_card, first_card, number);

CREATE TABLE card_grams (
    part    BIGINT NOT NULL,
    segment BIGINT NOT NULL,
    slices  BLOB NOT NULL,
    PRIMARY KEY (part, segment)
);

CREATE INDEX card_grams_segment ON card_grams (segment);

CREATE INDEX customers_first ON customers
    (program_id, LOWER(first_name), customer_id, first_name, last_name);

CREATE INDEX customers_last ON customers
    (program_id, LOWER(last_name), customer_id, first_name, last_name);

CREATE INDEX customers_last_of_last ON customers
    (program_id, LOWER(REPLACE(last_name,
        RTRIM(last_name, REPLACE(last_name, ' ', '')), '')), customer_id, first_name, last_name)
    WHERE last_name LIKE '% %';

CREATE TABLE erasures (
    customer_id     INTEGER PRIMARY KEY REFERENCES customers (customer_id),
    to_operators    BOOLEAN NOT NULL DEFAULT FALSE,
    key_name        TEXT NOT NULL DEFAULT '',
    route           TEXT NOT NULL DEFAULT '',
    idempotency_key TEXT NOT NULL DEFAULT ''
);

CREATE INDEX deliveries_state ON deliveries (webhook_id, state, event);

CREATE INDEX documents_in_force ON documents (bank_id, effective_at, expires_at);

CREATE INDEX orders_named ON orders (done_at) WHERE emptied_at IS NULL
    AND (state = 'done' OR dropped_at IS NOT NULL) AND (kind = 'card.make' OR kind = 'card.remake');

CREATE TABLE "processor_files" (
    direction  TEXT NOT NULL CHECK (direction IN ('orders', 'reports')),
    sequence   BIGINT NOT NULL CHECK (sequence > 0),
    line_count BIGINT NOT NULL CHECK (line_count >= 0),
    digest     TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    text       BLOB,
    ended_at   BIGINT,
    PRIMARY KEY (direction, sequence)
);

CREATE INDEX processor_files_unwritten ON processor_files (sequence) WHERE text IS NOT NULL;

INSERT INTO access_revision (one_row, revision) VALUES (1, 0);
INSERT INTO card_packing (one_row, settled_card, newest_card, looked_at) VALUES (1, 0, 0, 0);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (1, 0, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (2, 1, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (3, 2, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (4, 3, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (5, 4, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (6, 5, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (7, 6, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (8, 7, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (9, 8, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (10, 9, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (11, 10, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (12, 11, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (13, 12, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (14, 13, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (15, 14, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (16, 15, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (17, 16, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (18, 17, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (19, 18, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (20, 19, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (21, 20, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (22, 21, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (23, 22, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (24, 23, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (25, 24, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (26, 25, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (27, 26, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (28, 27, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (29, 28, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (30, 29, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (31, 30, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (32, 31, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (33, 32, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (34, 33, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (35, 34, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (36, 35, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (37, 36, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (38, 37, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (39, 38, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (40, 39, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (41, 40, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (42, 41, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (43, 42, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (44, 43, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (45, 44, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (46, 45, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (47, 46, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (48, 47, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (49, 48, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (50, 49, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (51, 50, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (52, 51, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (53, 52, 1);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence (name, seq) VALUES ('goose_db_version', 53);
INSERT INTO sqlite_sequence (name, seq) VALUES ('cards', 10000);
INSERT INTO sqlite_sequence (name, seq) VALUES ('orders', 0);
INSERT INTO sqlite_sequence (name, seq) VALUES ('document_drafts', 1000000);
INSERT INTO sqlite_sequence (name, seq) VALUES ('approvals', 0);
