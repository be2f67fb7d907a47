package load

import (
	"fmt"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/store"
)

// takeWebhook takes a webhook, which is listed inside a program.
func (p *pass) takeWebhook(at item, programID int) error {
	stored, err := p.storedWebhook(at, programID)
	if err != nil {
		return err
	}
	before := entryOfWebhook(stored)
	before.ProgramID = programID
	if stored.ID == 0 {
		before.Name = webhookName(at)
	}
	after, fine := patch(p, at, before, stored.ID == 0)
	if after.Name == "" {
		after.Name = after.URL
	}
	if after.ProgramID != programID {
		p.problems.add(at, "programId", "is not that of the enclosing program")
	}
	p.once(at, "name", fmt.Sprint(programID, " ", after.Name))
	merged := after.webhook(stored)
	_, given := memberOf(at.node, "secrets")
	if given != nil {
		merged.Secrets = make([][]byte, len(after.Secrets))
	}
	fine = p.checkWebhook(at, merged, after.Secrets) && fine
	if !fine {
		return nil
	}
	more := []string(nil)
	if given != nil {
		merged.Secrets, more, err = p.sealSecrets(stored, programID, after.Secrets)
		if err != nil {
			return err
		}
	}
	known := fmt.Sprintf("%d/%s", programID, subscription.WithoutQuery(merged.Name))
	name := label{subject{"webhooks", known}, stored.Revision}
	return settle(p, name, before, after, more, func(tx store.Tx) error {
		return putWebhook(tx, merged)
	})
}

// storedWebhook returns the stored webhook with the name of an entry.
func (p *pass) storedWebhook(at item, programID int) (subscription.Webhook, error) {
	name := webhookName(at)
	stored, err := p.r.Webhooks().List(programID)
	for _, w := range stored {
		if w.Name == name {
			return w, err
		}
	}
	return subscription.Webhook{}, err
}

// webhookName returns the name of an entry, or its URL as the default.
func webhookName(at item) string {
	if name := nameIn(at); name != "" {
		return name
	}
	_, node := memberOf(at.node, "url")
	if node == nil {
		return ""
	}
	return resolve(node).Value
}

// checkWebhook reports whether a webhook may be stored, and records the reasons against it without
// repeating a secret.
func (p *pass) checkWebhook(at item, w subscription.Webhook, secrets []string) bool {
	noted := p.problems.Noted
	p.problems.addAll(at, problem.Check(w))
	for i, text := range secrets {
		if wrong := subscription.CheckSecret(text); wrong != "" {
			p.problems.add(at, fmt.Sprintf("secrets[%d]", i), "%s", wrong)
		}
	}
	reach := subscription.Reach{Sandbox: p.options.Sandbox, Allow: p.options.WebhooksAllow}
	if wrong := reach.CheckURL(w.URL); wrong != "" && w.URL != "" {
		p.problems.add(at, "url", "%s", wrong)
	}
	return p.problems.Noted == noted
}

// sealSecrets encrypts the secrets of a file, unless they equal the stored ones.
func (p *pass) sealSecrets(
	stored subscription.Webhook, programID int, secrets []string,
) (sealed [][]byte, changes []string, err error) {
	same := len(secrets) == len(stored.Secrets)
	for i := 0; same && i < len(secrets); i++ {
		text, err := p.options.Vault.OpenWebhookSecret(stored.Secrets[i], stored.ProgramID)
		if err != nil {
			return nil, nil, err
		}
		same = text.Reveal() == secrets[i]
	}
	if same {
		return stored.Secrets, nil, nil
	}
	for _, text := range secrets {
		sealedText, err := p.options.Vault.SealWebhookSecret(secret.New(text), programID)
		if err != nil {
			return nil, nil, err
		}
		sealed = append(sealed, sealedText)
	}
	return sealed, []string{"secrets changed"}, nil
}

// putWebhook stores a webhook. A new webhook receives events from now on, and so does a stored one
// for types that it did not have.
func putWebhook(tx store.Tx, w subscription.Webhook) error {
	newest, err := store.NewestEvent(tx)
	if err != nil {
		return err
	}
	if w.Created.IsZero() {
		w.Created = tx.Now()
	}
	if w.ID != 0 {
		stored, err := tx.Webhooks().Find(w.ID)
		if err != nil {
			return err
		}
		types := w.Types
		w.Types, w.Earlier = stored.Types, stored.Earlier
		w.ChangeTypes(types, newest, tx.Now())
	}
	return tx.Webhooks().Put(&w, newest)
}
