package standin

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/processor/message"
)

// authorization is a request to authorize a transfer with a card.
type authorization struct {
	ID       string      `json:"authorizationId"`
	CardID   int         `json:"cardId,omitempty"`
	Sealed   string      `json:"sealed,omitempty"`
	Category string      `json:"category,omitempty"`
	Amount   json.Number `json:"amount"`
	Currency string      `json:"currency,omitempty"`
	Kind     string      `json:"kind"`
	At       time.Time   `json:"at"`
}

// authorize sends Mintmark an authorization request, as a processor does when a card is used. It
// declines a card that is locked at the stand-in, unless the command sets always.
func (p *Standin) authorize(w http.ResponseWriter, r *http.Request) {
	var body struct {
		AuthorizationID, Category, Currency, Kind string
		Amount                                    json.Number
		By                                        string // cardId or number
		Always                                    bool
	}
	if !readCommand(w, r, &body) {
		return
	}
	p.mu.Lock()
	c := p.card(w, r)
	if c == nil {
		p.mu.Unlock()
		return
	}
	id, locked, secret := c.ID, c.Lock != "" || c.Closed, c.Secret
	p.mu.Unlock()
	if locked && !body.Always {
		answer(w, http.StatusOK, struct {
			Refused string `json:"refused"`
		}{"the card is locked or closed here"})
		return
	}
	ask := authorization{
		ID: body.AuthorizationID, CardID: id, Category: body.Category, Amount: body.Amount,
		Currency: body.Currency, Kind: body.Kind, At: time.Now().UTC(),
	}
	if ask.ID == "" {
		ask.ID = "auth-" + strings.ToLower(rand.Text())
	}
	if body.By == "number" && secret != nil {
		var err error
		ask.CardID = 0
		ask.Sealed, err = p.sealNumber(r.Context(), secret.Number)
		if err != nil {
			answer(w, http.StatusBadGateway, problem{err.Error()})
			return
		}
	}
	text, err := json.Marshal(ask)
	if err != nil {
		answer(w, http.StatusUnprocessableEntity, problem{err.Error()})
		return
	}
	p.relay(r.Context(), w, "authorizations", text)
}

// sealNumber encrypts a card number to the key that Mintmark publishes.
func (p *Standin) sealNumber(ctx context.Context, number pan.Number) (string, error) {
	if len(p.ReportURLs) == 0 {
		return "", fmt.Errorf("no --report-url is given")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		strings.TrimSuffix(p.ReportURLs[0], "/")+"/processor/v1/jwks", nil)
	if err != nil {
		return "", err
	}
	status, text, err := p.do(request)
	if err != nil || status != http.StatusOK {
		return "", fmt.Errorf("fetch Mintmark's keys: status %d, error %v", status, err)
	}
	keys, err := message.ParseKeys(text)
	if err != nil {
		return "", fmt.Errorf("parse Mintmark's keys: %w", err)
	}
	return keys.SealNumber(number)
}
