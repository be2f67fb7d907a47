-- Customers, their accounts, and who may do what with which account.

-- +goose Up
-- The pair is unique so that cards and accounts can refer to customers of their program only.
-- A date of birth or death is kept as the first moment of that calendar date in UTC.
CREATE TABLE customers (
    customer_id  BIGINT PRIMARY KEY CHECK (customer_id BETWEEN 1 AND 2147483647),
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
    residence    TEXT NOT NULL,
    UNIQUE (program_id, customer_id)
);

-- Balances are whole ten-thousandths.
CREATE TABLE accounts (
    account_id          BIGINT PRIMARY KEY CHECK (account_id BETWEEN 1 AND 2147483647),
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
    modified_at         BIGINT,
    FOREIGN KEY (program_id, customer_id) REFERENCES customers (program_id, customer_id)
);
CREATE INDEX accounts_customer ON accounts (customer_id);

CREATE TABLE account_access (
    customer_id BIGINT NOT NULL REFERENCES customers (customer_id),
    account_id  BIGINT NOT NULL REFERENCES accounts (account_id),
    type        TEXT NOT NULL CHECK (type IN ('FULL', 'RDONLY', 'NONE')),
    PRIMARY KEY (customer_id, account_id)
);
