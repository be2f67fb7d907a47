package programs_test

import (
	"crypto/rand"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/event"
	"mintmark/internal/domain/program"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/importer/load"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/events"
	"mintmark/internal/issuing/keys"
	"mintmark/internal/issuing/programs"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestKeysOfProduction holds that what callers send is made here, that a chosen secret is refused,
// and that no file brings a secret back that an operator has ended.
func TestKeysOfProduction(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	spec := keys.KeySpec{Title: "shop", Allow: []string{"192.0.2.1"}}
	chosen := spec
	chosen.Secret = secret.New("a secret of somebody's own choice, which is long enough")
	if _, err := w.Keys.IssueKey(t.Context(), issuingtest.Ada, 1, chosen); !isInvalid(err) {
		t.Errorf("a chosen secret: %v", err)
	}
	if _, err := w.Keys.IssueKey(t.Context(), issuingtest.Ben, 1, spec); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("out of scope: %v", err)
	}
	detail, err := w.Keys.IssueKey(t.Context(), issuingtest.Ada, 1, spec)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(detail.Name, "mmk_") || detail.Title() != "shop" {
		t.Errorf("the key is %s, called %s", detail.Name, detail.Title())
	}
	named, err := w.Keys.Key(t.Context(), issuingtest.Ada, 1, detail.Name)
	if err != nil || named.Title() != "shop" {
		t.Errorf("by the name in metrics the key is %q, %v", named.Title(), err)
	}
	impostor := spec
	impostor.Title = detail.Name
	refused := (*issuing.RefusedError)(nil)
	_, err = w.Keys.IssueKey(t.Context(), issuingtest.Ada, 1, impostor)
	if !errors.As(err, &refused) {
		t.Errorf("a title that is the name of another key: %v", err)
	}
	opens := func(text secret.Text) bool {
		key, err := w.Keys.Key(t.Context(), issuingtest.Ada, 1, "shop")
		if err != nil {
			t.Fatal(err)
		}
		return key.Matches(w.Vault.DigestSecret(text.Reveal()), w.Clock.Now())
	}
	rotated, err := w.Keys.RotateKey(t.Context(), issuingtest.Ada, 1, "shop",
		keys.RotateRequest{Overlap: time.Hour})
	if err != nil || !opens(detail.Made) || !opens(rotated.Made) {
		t.Fatalf("within the overlap both open: %v", err)
	}
	w.Clock.Advance(time.Hour)
	if opens(detail.Made) || !opens(rotated.Made) {
		t.Error("after the overlap the old one opens")
	}
	if err := loadKey(w, rotated, "active", rotated.Made, detail.Made); err == nil {
		t.Error("a file brings an expired secret back")
	}
	for range 2 { // the second time nothing but the secret changes
		replaced, err := w.Keys.RotateKey(t.Context(), issuingtest.Ada, 1, "shop",
			keys.RotateRequest{})
		if err != nil || opens(rotated.Made) || !opens(replaced.Made) {
			t.Errorf("without an overlap the old secret still works, or the new one does not: %v", err)
		}
		rotated = replaced
	}
	if _, err := w.Keys.RevokeKey(t.Context(), issuingtest.Ada, 1, "shop", 0); err != nil || opens(rotated.Made) {
		t.Errorf("the revoked key opens (%v)", err)
	}
	for _, state := range []string{"active", "revoked"} {
		err := loadKey(w, rotated, state, rotated.Made)
		if opens(rotated.Made) || state == "active" && err == nil {
			t.Errorf("a file that says %s brings a revoked secret back: %v", state, err)
		}
	}
	other := rotated
	other.Name = "other"
	if err := loadKey(w, other, "active", rotated.Made); err == nil {
		t.Error("another key gets the revoked secret")
	}
}

func isInvalid(err error) bool {
	invalid := (*problem.InvalidError)(nil)
	return errors.As(err, &invalid)
}

// loadKey loads a file that gives a key some secrets.
func loadKey(w *issuingtest.World, k keys.KeyDetail, state string, secrets ...secret.Text) error {
	w.TB.Helper()
	text := "keys:\n- name: " + k.Name + "\n  programId: 1\n  version: 1\n" +
		"  allow: [192.0.2.1]\n  state: " + state + "\n  secrets:\n"
	for _, t := range secrets {
		text += "  - secret: " + t.Reveal() + "\n"
	}
	data, err := load.Read(fstest.MapFS{"keys.yaml": {Data: []byte(text)}}, "keys.yaml")
	if err != nil {
		w.TB.Fatal(err)
	}
	_, err = data.Load(w.TB.Context(), w.Store, load.Options{
		Vault: w.Vault, Random: rand.Reader,
		Actor: audit.Actor{Kind: audit.CommandLine, Name: "root"},
	})
	return err
}

// TestGreatestNumberIsNotTheLast takes the greatest number for a thing of each kind that operators may
// number. The next one without a number gets the lowest that is free, and the one behind that the next.
func TestGreatestNumberIsNotTheLast(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	bin := program.Bin{
		ProgramID: 1, Vendor: pan.Visa, IsActive: true, FirstBody: "400999000000000",
		LastBody: "400999000000009",
	}
	body := 400999000000000
	template, err := w.Programs.Program(t.Context(), issuingtest.Ada, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, create := range map[string]func(id int) (int, error){
		"bank": func(id int) (int, error) {
			b, err := w.Programs.CreateBank(t.Context(), issuingtest.Ada, id, "New")
			return b.ID, err
		},
		"program": func(id int) (int, error) {
			p := template
			p.ID, p.Bins = id, nil
			p, err := w.Programs.CreateProgram(t.Context(), issuingtest.Ada, p)
			return p.ID, err
		},
		"BIN": func(id int) (int, error) {
			body += 10
			bin.ID, bin.FirstBody, bin.LastBody = id, strconv.Itoa(body), strconv.Itoa(body+9)
			b, err := w.Programs.CreateBin(t.Context(), issuingtest.Ada, bin)
			return b.ID, err
		},
		"encryption key": func(id int) (int, error) {
			k, err := w.Keys.CreateEncryptionKey(t.Context(), issuingtest.Ada, 1, id, program.Retired)
			return k.ID, err
		},
	} {
		if _, err := create(problem.MaxID); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		first, err := create(0)
		second, err2 := create(0)
		if err := errors.Join(err, err2); err != nil || first >= second || second > 100 {
			t.Errorf("%s: the next numbers are %d and %d, %v", name, first, second, err)
		}
	}
}

// TestDocumentBehindGreatestGiven publishes the draft that is numbered behind the greatest number that a
// file may give to a document.
func TestDocumentBehindGreatestGiven(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	spec := programs.DocumentSpec{
		Culture: "fr-FR", Type: bankdoc.Types[0], Title: "Terms", HTML: "<p>Terms</p>",
	}
	w.Update(func(tx store.Tx) error {
		return tx.Documents().Put(bankdoc.Document{
			ID: problem.MaxGivenID, BankID: 1, Culture: "en-US", Type: spec.Type, Title: "Terms",
			HTML: "<p>Terms</p>", Effective: issuingtest.Start,
		})
	})
	draft, err := w.Programs.CreateDraft(t.Context(), issuingtest.Ada, 1, spec)
	if err != nil || draft.ID != problem.MaxGivenID+1 {
		t.Fatalf("the draft has the number %d, %v", draft.ID, err)
	}
	_, err = w.Programs.ChangeDraft(t.Context(), issuingtest.Ada, 1, draft.ID, 0, spec)
	_, err2 := w.Programs.PublishDraft(t.Context(), issuingtest.Ada, 1, draft.ID, 0, time.Time{})
	if err := errors.Join(err, err2); err != nil {
		t.Error(err)
	}
}

// TestDryRunKeepsNothing tries each kind of act and looks whether a row or an entry is left.
func TestDryRunKeepsNothing(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	dry := issuingtest.Ada
	dry.DryRun = true
	before := configured(w)
	bank, err := w.Programs.Bank(t.Context(), issuingtest.Ada, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, created := w.Programs.CreateBank(t.Context(), dry, 0, "New")
	_, changed := w.Programs.ChangeBank(t.Context(), dry, 1, bank.Revision, "Renamed")
	_, issued := w.Keys.IssueKey(t.Context(), dry, 1, keys.KeySpec{
		Title: "new", Allow: []string{"::1"},
	})
	_, subscribed := w.Events.CreateWebhook(t.Context(), dry, 1, events.WebhookSpec{
		URL: "https://a.example",
	})
	if err := errors.Join(created, changed, issued, subscribed); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, configured(w)); diff != "" {
		t.Errorf("a dry run has changed:\n%s", diff)
	}
}

// configured is how much there is of what operators set up, and what it is called.
func configured(w *issuingtest.World) map[string]any {
	w.TB.Helper()
	values := make(map[string]any)
	w.View(func(r store.Tx) error {
		banks, err := r.Banks().List()
		keys, alsoErr := r.Keys().List()
		hooks, thirdErr := r.Webhooks().List(0)
		entries, lastErr := r.Audit().List(0, 0, 1000)
		values["banks"], values["keys"], values["webhooks"] = banks, len(keys), len(hooks)
		values["entries"] = len(entries)
		return errors.Join(err, alsoErr, thirdErr, lastErr)
	})
	return values
}

// initiate orders some cards, each of which is an event, and seals what is in the audit.
func initiate(w *issuingtest.World, cards int) {
	w.TB.Helper()
	who := issuingtest.Caller
	who.Route = "/card/initiate"
	for range cards {
		if _, err := w.Cards.Initiate(w.TB.Context(), who, w.NewOrder()); err != nil {
			w.TB.Fatal(err)
		}
	}
	noteSealed(w)
}

// noteSealed seals what is in the audit.
func noteSealed(w *issuingtest.World) {
	w.TB.Helper()
	w.Update(func(tx store.Tx) error {
		next := store.Batch{First: 1, FirstEvent: 1, At: tx.Now(), Note: "test"}
		unsealed, err := tx.AuditLog().ListUnsealed(store.UnsealedQuery{Limit: 10_000})
		for _, e := range unsealed.Entries {
			_, ok := event.TypeOf(e.Entry)
			next.Rows = append(next.Rows, store.SealedRow{Row: e.Row, IsEvent: ok})
			next.NewestRow = max(next.NewestRow, e.Row)
		}
		next.SettledRow = next.NewestRow
		return errors.Join(err, tx.AuditLog().PutBatch(next, nil))
	})
}

// TestDeliveriesForOperators lists events that a webhook has taken and others that it has not, page
// by page, and sends one again.
func TestDeliveriesForOperators(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	hook, err := w.Events.CreateWebhook(t.Context(), issuingtest.Ada, 1, events.WebhookSpec{URL: "https://a.example"})
	if err != nil {
		t.Fatal(err)
	}
	initiate(w, 4)
	// Event 1 was taken, 2 is dead, 3 waits, and 4 was taken at the second try.
	w.Update(func(tx store.Tx) error {
		attempt := subscription.Attempt{WebhookID: hook.ID, At: issuingtest.Start, Status: 200}
		errs := []error{}
		for sequence, failure := range map[int]string{1: "", 2: "no", 4: "no"} {
			attempt.Sequence, attempt.Error = sequence, failure
			errs = append(errs, tx.Deliveries().PutAttempt(attempt))
		}
		attempt.Sequence, attempt.Error = 4, ""
		errs = append(errs, tx.Deliveries().PutAttempt(attempt))
		for sequence, state := range map[int]subscription.State{
			2: subscription.Dead, 3: subscription.Waiting,
		} {
			errs = append(errs, tx.Deliveries().Put(subscription.Delivery{
				WebhookID: hook.ID, Sequence: sequence, Lane: sequence, State: state,
				Type: event.CardInitiated, Since: issuingtest.Start,
			}))
		}
		return errors.Join(errs...)
	})
	list := func(state subscription.State, limit int) (shown []string) {
		t.Helper()
		for page := (issuing.Page{Limit: limit}); ; {
			items, last, err := w.Events.DeliveryList(t.Context(), issuingtest.Ada, hook.ID, state, page)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range items {
				shown = append(shown, d.Event.ID[:5]+string(d.State))
			}
			if last == "" {
				return shown
			}
			page.After = last
		}
	}
	all := []string{"evt_4delivered", "evt_3waiting", "evt_2dead", "evt_1delivered"}
	for _, limit := range []int{1, 2, 3, 4, 50} {
		if diff := cmp.Diff(all, list("", limit)); diff != "" {
			t.Errorf("by %d: %s", limit, diff)
		}
		if diff := cmp.Diff([]string{all[0], all[3]}, list(events.Delivered, limit)); diff != "" {
			t.Errorf("delivered by %d: %s", limit, diff)
		}
	}
	state, err := w.Events.Webhook(t.Context(), issuingtest.Ada, hook.ID)
	if err != nil || state.Dead != 1 || state.Waiting != 1 || !state.LastSuccess.Equal(issuingtest.Start) {
		t.Errorf("the webhook is %+v (%v)", state, err)
	}
	if _, err := w.Events.Resend(t.Context(), issuingtest.Ben, hook.ID, 2); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("out of scope: %v", err)
	}
	resent, err := w.Events.Resend(t.Context(), issuingtest.Ada, hook.ID, 2)
	if err != nil || resent.State != subscription.Waiting || !resent.Next.Equal(w.Clock.Now()) ||
		len(resent.Attempts) != 1 {
		t.Errorf("resent is %+v (%v)", resent, err)
	}
}

// TestEventsForOperators lists the newest events first, page by page, without those out of scope.
func TestEventsForOperators(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	initiate(w, 5)
	var shown []int
	page := events.EventPage{Page: issuing.Page{Limit: 2}, Types: event.Filter{"card.*"}}
	for {
		items, last, err := w.Events.NewestEvents(t.Context(), issuingtest.Ada, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range items {
			shown = append(shown, e.Sequence)
		}
		if last == "" {
			break
		}
		page.After = last
	}
	if diff := cmp.Diff([]int{5, 4, 3, 2, 1}, shown); diff != "" {
		t.Error(diff)
	}
	page.After = ""
	if items, _, err := w.Events.NewestEvents(t.Context(), issuingtest.Ben, page); err != nil || len(items) > 0 {
		t.Errorf("out of scope are %v (%v)", items, err)
	}
	if _, err := w.Events.Event(t.Context(), issuingtest.Ben, 3); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("out of scope: %v", err)
	}
	if e, err := w.Events.Event(t.Context(), issuingtest.Ada, 3); err != nil || e.Sequence != 3 {
		t.Errorf("event 3 is %+v (%v)", e, err)
	}
}
