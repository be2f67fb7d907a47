package sqlstore

import (
	"time"

	"mintmark/internal/domain/operator"
	"mintmark/internal/store/sqlstore/db"
)

// operators implements store.Operators on the tables operators, operator_credentials and
// invitations.
type operators struct{ *tx }

const (
	personColumns = `operator_id, name, roles, all_banks, banks, state, COALESCE(openid, ''),
		created_at, last_sign_in_at, sessions_since, revision`

	findPerson       = `SELECT ` + personColumns + ` FROM operators WHERE operator_id = $1`
	findPersonNamed  = `SELECT ` + personColumns + ` FROM operators WHERE name = $1`
	findPersonOpenID = `SELECT ` + personColumns + ` FROM operators WHERE openid = $1`
	listPersons      = `SELECT ` + personColumns + ` FROM operators ORDER BY operator_id`
)

func scanPerson(row db.Scan) (operator.Person, error) {
	var p operator.Person
	err := row(&p.ID, &p.Name, db.JSON{To: &p.Roles}, &p.Scope.All, db.JSON{To: &p.Scope.Banks},
		&p.State, &p.OpenID, db.Time{To: &p.Created}, db.Time{To: &p.LastSignIn},
		db.Time{To: &p.SessionsSince}, &p.Revision)
	return p, err
}

func (t operators) Find(id int) (operator.Person, error) {
	return db.One(t.session, scanPerson, findPerson, id)
}

func (t operators) FindNamed(name string) (operator.Person, error) {
	return db.One(t.session, scanPerson, findPersonNamed, name)
}

// FindOpenID returns a person by the subject that the OpenID provider knows.
func (t operators) FindOpenID(subject string) (operator.Person, error) {
	return db.One(t.session, scanPerson, findPersonOpenID, subject)
}

// List returns all persons, by ID.
func (t operators) List() ([]operator.Person, error) {
	return db.List(t.session, scanPerson, listPersons)
}

const (
	insertPerson = `INSERT INTO operators (name, roles, all_banks, banks, state, openid, created_at,
			sessions_since)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
	updatePerson = `UPDATE operators SET name = $1, roles = $2, all_banks = $3, banks = $4,
			state = $5, openid = $6, created_at = $7, sessions_since = $8,
			revision = revision + 1
		WHERE operator_id = $9 AND revision = $10`
	putSignIn = `UPDATE operators SET last_sign_in_at = $1 WHERE operator_id = $2`
)

var personID = db.Serial{Table: "operators", Column: "operator_id"}

// Put sets the ID and the revision of the person only after the row is written.
func (t operators) Put(p *operator.Person) error {
	lists, err := db.JSONTexts(p.Roles, p.Scope.Banks)
	if err != nil {
		return t.session.Fail(err)
	}
	return putNumbered(t.session, numbered{
		id: &p.ID, revision: &p.Revision, serial: personID,
		insert: insertPerson, update: updatePerson,
	}, p.Name, lists[0], p.Scope.All, lists[1], string(p.State), db.OrNull(p.OpenID),
		db.Millis(p.Created), db.Millis(p.SessionsSince))
}

// PutSignIn stores the time of a person's last sign-in.
func (t operators) PutSignIn(id int, at time.Time) error {
	return t.session.Change(putSignIn, db.Millis(at), id)
}

const findCredential = `SELECT operator_id, password, totp, last_step
	FROM operator_credentials WHERE operator_id = $1`

func (t operators) FindCredential(personID int) (operator.Credential, error) {
	return db.One(t.session, func(row db.Scan) (operator.Credential, error) {
		var c operator.Credential
		err := row(&c.PersonID, &c.Password, &c.TOTP, &c.LastStep)
		return c, err
	}, findCredential, personID)
}

const (
	putCredential = `INSERT INTO operator_credentials (operator_id, password, totp, last_step)
		VALUES ($1, $2, $3, $4) ON CONFLICT (operator_id) DO UPDATE
		SET password = excluded.password, totp = excluded.totp, last_step = excluded.last_step`
	// If a code was used meanwhile, the step differs; if the password was changed, its hash does.
	changeTOTPStep = `UPDATE operator_credentials SET last_step = $1
		WHERE operator_id = $2 AND last_step = $3 AND password = $4`
	deleteCredential = `DELETE FROM operator_credentials WHERE operator_id = $1`
)

// PutCredential inserts or replaces a credential.
func (t operators) PutCredential(c operator.Credential) error {
	return t.session.Write(putCredential, c.PersonID, c.Password, db.OrNull(c.TOTP), c.LastStep)
}

// ChangeCredential stores the step of the last code used.
func (t operators) ChangeCredential(before operator.Credential, step int64) error {
	return t.session.Change(changeTOTPStep, step, before.PersonID, before.LastStep, before.Password)
}

func (t operators) DeleteCredential(personID int) error {
	return t.session.Write(deleteCredential, personID)
}

const (
	findInvitation = `SELECT digest, operator_id, totp, expires_at FROM invitations
		WHERE digest = $1`
	putInvitation = `INSERT INTO invitations (operator_id, digest, totp, expires_at)
		VALUES ($1, $2, $3, $4) ON CONFLICT (operator_id) DO UPDATE
		SET digest = excluded.digest, totp = excluded.totp, expires_at = excluded.expires_at`
	deleteInvitation = `DELETE FROM invitations WHERE operator_id = $1`
)

// FindInvitation returns an invitation by the digest of its link.
func (t operators) FindInvitation(digest []byte) (operator.Invitation, error) {
	return db.One(t.session, func(row db.Scan) (operator.Invitation, error) {
		var i operator.Invitation
		err := row(&i.Digest, &i.PersonID, &i.TOTP, db.Time{To: &i.Expires})
		return i, err
	}, findInvitation, digest)
}

// PutInvitation inserts or replaces the invitation of a person.
func (t operators) PutInvitation(i operator.Invitation) error {
	return t.session.Write(putInvitation, i.PersonID, i.Digest, i.TOTP, db.Millis(i.Expires))
}

func (t operators) DeleteInvitation(personID int) error {
	return t.session.Write(deleteInvitation, personID)
}
