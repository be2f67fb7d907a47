package load

import (
	"mintmark/internal/base/problem"
	"mintmark/internal/domain/event"
	"mintmark/internal/domain/subscription"
)

// webhookEntry is listed inside a program.
type webhookEntry struct {
	ProgramID int      `json:"programId"`
	Name      string   `json:"name"`
	URL       string   `json:"url"`
	Types     []string `json:"types"`
	Secrets   []string `json:"secrets"`
	Paused    bool     `json:"paused"`
}

var webhookForm = form{
	title: "webhooks",
	says: "Where a program receives events; see [events.md](events.md). It belongs to the list " +
		"webhooks of its program, and receives events from its first load on.",

	members: map[string]string{
		"programId": "Program of the webhook; that of the program around it.",
		"name": "Name of the webhook, by which a later file finds it; the url when left out. " +
			"Without a name, another url is another webhook.",
		"url": "Address that events are posted to. http works in the sandbox, and to an address " +
			"that webhooks.allow holds.",
		"types": "Types of event that are sent, or their beginnings with a star; all when empty.",
		"secrets": "Secret that each event is signed with: whsec_ and the base64 of 24 to 64 bytes. " +
			"Two during a rotation. Stored encrypted.",
		"paused": "Whether sending is paused. Events wait and are sent afterwards.",
	},
	rules:  problem.Describe(subscription.Webhook{}),
	filled: []string{"programId", "name"},
	hidden: []string{"secrets"},
}

func entryOfWebhook(w subscription.Webhook) webhookEntry {
	return webhookEntry{
		ProgramID: w.ProgramID, Name: w.Name, URL: w.URL, Types: w.Types, Paused: w.Paused,
	}
}

func (e webhookEntry) inProgram() int { return e.ProgramID }

// webhook returns the webhook of the entry. Its secrets are encrypted later.
func (e webhookEntry) webhook(stored subscription.Webhook) subscription.Webhook {
	w := subscription.Webhook{
		ID: stored.ID, ProgramID: e.ProgramID, Name: e.Name, URL: e.URL,
		Types: event.Filter(e.Types), Secrets: stored.Secrets, Paused: e.Paused,
		PausedBecause: stored.PausedBecause, Created: stored.Created, Revision: stored.Revision,
	}
	if !w.Paused {
		w.PausedBecause = ""
	}
	return w
}
