package sqlstore

import (
	"bytes"
	"strconv"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// erasure implements store.Erasure on the tables that hold copies of personal data.
type erasure struct{ *tx }

const (
	listCallerAnswersOfPeople = `SELECT r.key_name, r.route, r.idempotency_key, r.http_status,
			r.answer
		FROM replays r JOIN api_keys k ON k.name = r.key_name
		WHERE k.program_id = $1 AND (r.key_name, r.route, r.idempotency_key) > ($2, $3, $4)
		ORDER BY r.key_name, r.route, r.idempotency_key LIMIT 0 + $5`
	listOperatorAnswersOfPeople = `SELECT operator, route, idempotency_key, http_status, answer
		FROM operator_answers WHERE (operator, route, idempotency_key) > ($1, $2, $3)
		ORDER BY operator, route, idempotency_key LIMIT 0 + $4`
)

func scanAnswerOfPeople(row db.Scan) (store.IdempotencyRecord, error) {
	var r store.IdempotencyRecord
	err := row(&r.APIKey, &r.Route, &r.Key, &r.HTTP, &r.Answer)
	return r, err
}

// ListAnswers returns stored answers to callers.
func (t erasure) ListAnswers(
	programID int, behind store.IdempotencyScope, limit int,
) ([]store.IdempotencyRecord, error) {
	return db.List(t.session, scanAnswerOfPeople, listCallerAnswersOfPeople, programID,
		behind.APIKey, behind.Route,
		behind.Key, limit)
}

// ListOperatorsAnswers is ListAnswers for operators. It returns the answers of every program,
// because no row names its program.
func (t erasure) ListOperatorsAnswers(
	behind store.IdempotencyScope, limit int,
) ([]store.IdempotencyRecord, error) {
	return db.List(t.session, scanAnswerOfPeople, listOperatorAnswersOfPeople, behind.APIKey,
		behind.Route,
		behind.Key, limit)
}

const (
	emptyCallerAnswer = `UPDATE replays SET answer = $1
		WHERE key_name = $2 AND route = $3 AND idempotency_key = $4`
	emptyOperatorAnswer = `UPDATE operator_answers SET answer = $1
		WHERE operator = $2 AND route = $3 AND idempotency_key = $4`
)

// PutAnswer replaces the text of a stored answer to a caller.
func (t erasure) PutAnswer(of store.IdempotencyScope, text []byte) error {
	return t.session.Write(emptyCallerAnswer, db.OrEmpty(text), of.APIKey, of.Route, of.Key)
}

// PutOperatorsAnswer replaces the text of a stored answer to an operator.
func (t erasure) PutOperatorsAnswer(of store.IdempotencyScope, text []byte) error {
	return t.session.Write(emptyOperatorAnswer, db.OrEmpty(text), of.APIKey, of.Route, of.Key)
}

// The revision does not change, because no operator has changed the approval.
const emptyApproval = `UPDATE approvals SET body = $1, result = NULL, reason = $2,
		why = CASE WHEN why = '' THEN '' ELSE $2 END
	WHERE approval_id = $3`

// EmptyApproval removes personal data from an approval.
func (t erasure) EmptyApproval(id int, reason string) error {
	return t.session.Write(emptyApproval, []byte{}, reason, id)
}

const deleteReconciliations = `DELETE FROM reconciliations WHERE reconciliation_id IN (
		SELECT r.reconciliation_id FROM reconciliations r WHERE r.made_at < $1
			AND r.reconciliation_id NOT IN
				(SELECT MAX(reconciliation_id) FROM reconciliations GROUP BY program_id, kind)
		ORDER BY r.reconciliation_id LIMIT 0 + $2)`

// DeleteReconciliations deletes old reports, except the newest of each program and kind.
func (t erasure) DeleteReconciliations(before time.Time, limit int) (int, error) {
	deleted, err := t.session.Exec(deleteReconciliations, before.UnixMilli(), limit)
	return int(deleted), err
}

const (
	// Deleted webhooks also have attempts, as long as their rows exist.
	listEmptied = `SELECT webhook_id, answers_emptied FROM webhooks
		WHERE program_id = $1 ORDER BY webhook_id`
	findUnemptied = `SELECT COUNT(*), COALESCE(MAX(attempt_id), 0) FROM (
		SELECT attempt_id FROM delivery_attempts WHERE webhook_id = $1 AND attempt_id > $2
		ORDER BY attempt_id LIMIT 0 + $3) AS next`
	emptyAttempts = `UPDATE delivery_attempts SET answer = ''
		WHERE webhook_id = $1 AND attempt_id > $2 AND attempt_id <= $3 AND answer <> ''`
	putEmptied = `UPDATE webhooks SET answers_emptied = $1 WHERE webhook_id = $2`
)

// EmptyAttempts processes the webhooks one after the other.
func (t erasure) EmptyAttempts(programID, limit int) (looked int, err error) {
	type emptied struct{ webhookID, through int }
	webhooks, err := db.List(t.session, func(row db.Scan) (e emptied, err error) {
		err = row(&e.webhookID, &e.through)
		return e, err
	}, listEmptied, programID)
	for _, w := range webhooks {
		if err != nil || looked >= limit {
			break
		}
		count, through := 0, 0
		_, err = db.Find(t.session, []any{&count, &through}, findUnemptied, w.webhookID, w.through,
			limit-looked)
		if err != nil || count == 0 {
			continue
		}
		looked += count
		err = t.session.Write(emptyAttempts, w.webhookID, w.through, through)
		if err == nil {
			err = t.session.Write(putEmptied, through, w.webhookID)
		}
	}
	return looked, t.session.Fail(err)
}

const (
	listErased = `SELECT c.program_id, e.customer_id, e.key_name, e.route, e.idempotency_key,
			e.to_operators
		FROM erasures e JOIN customers c ON c.customer_id = e.customer_id ORDER BY e.customer_id`
	putErased = `INSERT INTO erasures (customer_id) VALUES ($1)
		ON CONFLICT (customer_id) DO NOTHING`
	changeErased = `UPDATE erasures SET key_name = $1, route = $2, idempotency_key = $3,
		to_operators = $4 WHERE customer_id = $5`
	deleteErased = `DELETE FROM erasures WHERE customer_id = $1`
)

// ListErased returns the erased customers of whom copies are left.
func (t erasure) ListErased() ([]store.Erased, error) {
	return db.List(t.session, func(row db.Scan) (e store.Erased, err error) {
		err = row(&e.ProgramID, &e.CustomerID, &e.Behind.APIKey, &e.Behind.Route, &e.Behind.Key,
			&e.ToOperators)
		return e, err
	}, listErased)
}

// PutErased records that copies of a customer are left.
func (t erasure) PutErased(customerID int) error { return t.session.Write(putErased, customerID) }

// ChangeErased stores how far the stored answers have been read.
func (t erasure) ChangeErased(e store.Erased) error {
	return t.session.Write(changeErased, e.Behind.APIKey, e.Behind.Route, e.Behind.Key,
		e.ToOperators, e.CustomerID)
}

// DeleteErased records that no copies of a customer are left.
func (t erasure) DeleteErased(customerID int) error {
	return t.session.Write(deleteErased, customerID)
}

type packedBlock struct {
	last, number int
	text         []byte
}

func scanPackedBlock(row db.Scan) (packedBlock, error) {
	var b packedBlock
	err := row(&b.last, &b.number, &b.text)
	return b, err
}

const (
	listBlocksOfCard = `SELECT last_card, number, texts FROM card_texts
		WHERE first_card <= $1 AND last_card >= $1`
	changeBlock = `UPDATE card_texts SET texts = $1 WHERE last_card = $2`
)

// PutSearchText replaces the line of a card in the blocks that may contain it.
func (t erasure) PutSearchText(c store.CardSummary) error {
	blocks, err := db.List(t.session, scanPackedBlock, listBlocksOfCard, c.ID)
	if err != nil {
		return t.session.Fail(err)
	}
	for _, b := range blocks {
		text, ok := withLine(b.text, c)
		if !ok {
			continue
		}
		b.text = text
		if err := t.session.Write(changeBlock, b.text, b.last); err != nil {
			return err
		}
		if b.number == 0 {
			continue // packed by the previous version
		}
		if err := putGrams(t.session, b); err != nil {
			return err
		}
	}
	return nil
}

// withLine returns a block with the line of a card replaced, and false if the line was the same.
// The ID of a card is the second field of its line.
func withLine(text []byte, c store.CardSummary) (changed []byte, ok bool) {
	lines := bytes.Split(text, []byte("\n"))
	number, own := []byte(strconv.Itoa(c.ID)), []byte(c.SearchText())
	for i, line := range lines {
		parts := bytes.SplitN(line, []byte("\t"), 3)
		if len(parts) == 3 && bytes.Equal(parts[1], number) && !bytes.Equal(line, own) {
			lines[i], ok = own, true
		}
	}
	return bytes.Join(lines, []byte("\n")), ok
}

type orderSnapshot struct {
	id   int
	text order.Snapshot
}

func scanOrderSnapshot(row db.Scan) (orderSnapshot, error) {
	var s orderSnapshot
	err := row(&s.id, db.JSON{To: &s.text})
	return s, err
}

// The conditions are those of the index orders_named, word for word.
const (
	listSnapshots = `SELECT order_id, snapshot FROM orders
		WHERE done_at < $1 AND emptied_at IS NULL AND (state = 'done' OR dropped_at IS NOT NULL)
			AND (kind = 'card.make' OR kind = 'card.remake')
		ORDER BY done_at LIMIT 0 + $2`
	emptySnapshot = `UPDATE orders SET snapshot = $1, emptied_at = $2, revision = revision + 1
		WHERE order_id = $3`
)

// EmptySnapshots removes names and addresses from old orders.
func (t erasure) RedactOrders(before time.Time, limit int) (int, error) {
	orderSnapshots, err := db.List(t.session, scanOrderSnapshot, listSnapshots, before.UnixMilli(), limit)
	if err != nil {
		return 0, t.session.Fail(err)
	}
	now, err := t.session.Now()
	if err != nil {
		return 0, t.session.Fail(err)
	}
	for _, o := range orderSnapshots {
		text, err := db.JSONText(o.text.WithoutPeople())
		if err != nil {
			return 0, t.session.Fail(err)
		}
		if err := t.session.Write(emptySnapshot, text, now.UnixMilli(), o.id); err != nil {
			return 0, err
		}
	}
	return len(orderSnapshots), nil
}
