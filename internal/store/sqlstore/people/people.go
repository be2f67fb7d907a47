// Package people holds the SQL of operators: people, what they sign in with, the tokens of
// programs, sessions of the console and failed sign-ins. What each may do is decided in package
// operator, who asks is found out in package auth.
package people

import (
	"time"

	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Operators are the rows of the table operators.
type Operators struct{ Session db.Session }

const (
	personColumns = `operator_id, name, roles, all_banks, banks, state, COALESCE(openid, ''),
		created_at, last_sign_in_at, sessions_since, revision`

	findPerson  = `SELECT ` + personColumns + ` FROM operators WHERE operator_id = $1`
	findNamed   = `SELECT ` + personColumns + ` FROM operators WHERE name = $1`
	findOpenID  = `SELECT ` + personColumns + ` FROM operators WHERE openid = $1`
	listPersons = `SELECT ` + personColumns + ` FROM operators ORDER BY operator_id`
)

func scanPerson(row db.Scan) (operator.Person, error) {
	var p operator.Person
	err := row(&p.ID, &p.Name, db.JSON{To: &p.Roles}, &p.Scope.All, db.JSON{To: &p.Scope.Banks},
		&p.State, &p.OpenID, db.Time{To: &p.Created}, db.Time{To: &p.LastSignIn},
		db.Time{To: &p.SessionsSince}, &p.Revision)
	return p, err
}

// one returns the first of some rows, and store.ErrNotFound when there is none.
func one[T any](found []T, err error) (T, error) {
	var none T
	if err != nil {
		return none, err
	}
	if len(found) == 0 {
		return none, store.ErrNotFound
	}
	return found[0], nil
}

// Find returns one person.
func (t Operators) Find(id int) (operator.Person, error) {
	return one(db.List(t.Session, scanPerson, findPerson, id))
}

// FindNamed returns the person of a name.
func (t Operators) FindNamed(name string) (operator.Person, error) {
	return one(db.List(t.Session, scanPerson, findNamed, name))
}

// FindOpenID returns the person whom a provider knows.
func (t Operators) FindOpenID(subject string) (operator.Person, error) {
	return one(db.List(t.Session, scanPerson, findOpenID, subject))
}

// List returns everybody, by their numbers.
func (t Operators) List() ([]operator.Person, error) {
	return db.List(t.Session, scanPerson, listPersons)
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

// Put sets the number and the revision of the person only after the row is written.
func (t Operators) Put(p *operator.Person) error {
	lists, err := db.JSONTexts(p.Roles, p.Scope.Banks)
	if err != nil {
		return t.Session.Fail(err)
	}
	return put(t.Session, numbered{
		&p.ID, &p.Revision, personID, insertPerson, updatePerson,
	}, p.Name, lists[0], p.Scope.All, lists[1], string(p.State), db.OrNull(p.OpenID),
		db.Millis(p.Created), db.Millis(p.SessionsSince))
}

// PutSignIn stores when a person has signed in.
func (t Operators) PutSignIn(id int, at time.Time) error {
	return t.Session.Change(putSignIn, db.Millis(at), id)
}

// numbered says how a row with a number and a revision is stored. Both statements take the same
// arguments; the update takes number and revision after them.
type numbered struct {
	id, revision   *int
	serial         db.Serial
	insert, update string
}

func put(s db.Session, row numbered, args ...any) error {
	if *row.revision != 0 {
		err := s.Change(row.update, append(args, *row.id, *row.revision)...)
		if err == nil {
			*row.revision++
		}
		return err
	}
	id, err := s.Insert(row.serial, row.insert, args...)
	if err == nil {
		*row.id, *row.revision = id, 1
	}
	return err
}
