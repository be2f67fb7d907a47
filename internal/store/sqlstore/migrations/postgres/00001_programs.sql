-- What a bank configures: programs, BINs, encryption keys, documents, and the keys of callers.
-- Times are milliseconds since 1970 UTC, or NULL; structured values are JSON text. Texts
-- that are looked for or listed in order have the collation "C", which goes by bytes.

-- +goose Up
CREATE TABLE banks (
    bank_id BIGINT PRIMARY KEY CHECK (bank_id BETWEEN 1 AND 2147483647),
    name    TEXT NOT NULL
);

CREATE TABLE pci_keys (
    pci_key_id BIGINT PRIMARY KEY,
    bank_id    BIGINT NOT NULL REFERENCES banks (bank_id),
    status     BIGINT NOT NULL CHECK (status BETWEEN 1 AND 3)
);
CREATE INDEX pci_keys_bank ON pci_keys (bank_id);

CREATE TABLE programs (
    program_id               BIGINT PRIMARY KEY CHECK (program_id BETWEEN 1 AND 2147483647),
    bank_id                  BIGINT NOT NULL REFERENCES banks (bank_id),
    verification_window_days BIGINT NOT NULL CHECK (verification_window_days >= 0),
    settings                 TEXT NOT NULL
);

-- The pair is unique so that a card can refer to a BIN of its own program only.
CREATE TABLE bins (
    bin_id       BIGINT PRIMARY KEY CHECK (bin_id BETWEEN 1 AND 2147483647),
    program_id   BIGINT NOT NULL REFERENCES programs (program_id),
    vendor       TEXT NOT NULL CHECK (vendor IN ('VS', 'MC')),
    description  TEXT NOT NULL,
    is_active    BOOLEAN NOT NULL,
    first_body   TEXT NOT NULL,
    last_body    TEXT NOT NULL,
    valid_months BIGINT NOT NULL CHECK (valid_months >= 0),
    UNIQUE (program_id, bin_id)
);

CREATE TABLE documents (
    document_id  BIGINT PRIMARY KEY CHECK (document_id BETWEEN 1 AND 2147483647),
    bank_id      BIGINT NOT NULL REFERENCES banks (bank_id),
    culture      TEXT COLLATE "C" NOT NULL,
    type         TEXT NOT NULL,
    title        TEXT NOT NULL,
    html         TEXT NOT NULL,
    effective_at BIGINT,
    expires_at   BIGINT,
    -- Last, so that a list of documents does not have to read past the bytes.
    pdf          BYTEA
);
CREATE INDEX documents_bank ON documents (bank_id, culture);

CREATE TABLE api_keys (
    name       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    program_id BIGINT NOT NULL REFERENCES programs (program_id),
    version    BIGINT NOT NULL CHECK (version IN (1, 2)),
    secrets    TEXT NOT NULL,
    allow_list TEXT NOT NULL,
    per_second DOUBLE PRECISION NOT NULL CHECK (per_second >= 0),
    burst      BIGINT NOT NULL CHECK (burst >= 0)
);

-- One row, counted up with every change of a key, so that nodes see cheaply when to read again.
CREATE TABLE access_revision (
    one_row  BIGINT PRIMARY KEY CHECK (one_row = 1),
    revision BIGINT NOT NULL
);
INSERT INTO access_revision (one_row, revision) VALUES (1, 0);
