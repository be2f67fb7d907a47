package standin

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"mintmark/internal/processor/simulator"
	"mintmark/internal/vault/signature"
)

// Limits for sending reports.
const (
	reportTimeout = 10 * time.Second
	reportAgain   = 250 * time.Millisecond // after a failure
	reportsAtOnce = 100
	maxAnswer     = 1 << 20
)

// reportOn sends reports until the context ends, oldest first.
func (p *Standin) reportOn(ctx context.Context) {
	if len(p.ReportURLs) == 0 {
		return
	}
	for ctx.Err() == nil {
		sent, err := p.sendReports(ctx)
		wait := reportAgain
		switch {
		case err != nil && ctx.Err() == nil:
			p.Log.Warn("delivering reports failed", "error", err)
		case sent:
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		case <-p.newsUnless(err):
		}
	}
}

// newsUnless returns the channel that wakes the sender early, or nil after a failure.
func (p *Standin) newsUnless(err error) <-chan struct{} {
	if err != nil {
		return nil
	}
	return p.news
}

// sendReports sends the oldest reports, and returns whether there were any.
func (p *Standin) sendReports(ctx context.Context) (bool, error) {
	p.mu.Lock()
	waiting := p.machine.Waiting()
	down := p.machine.Mode() == simulator.Down
	p.mu.Unlock()
	if len(waiting) == 0 || down {
		return false, nil
	}
	waiting = waiting[:min(len(waiting), reportsAtOnce)]
	body, err := json.Marshal(waiting)
	if err != nil {
		return false, err
	}
	status, text, err := p.post(ctx, "reports", waiting[0].ID, body)
	if err != nil {
		return false, err
	}
	var answered struct{ Results []delivered }
	if status != http.StatusOK || json.Unmarshal(text, &answered) != nil ||
		len(answered.Results) == 0 {
		return false, fmt.Errorf("unexpected answer with status %d: %.200s", status, text)
	}
	p.step("delivered")
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err = p.record(event{Delivered: answered.Results})
	return err == nil, err
}

// post sends a signed message to the first Mintmark that responds.
func (p *Standin) post(ctx context.Context, path, id string, body []byte,
) (status int, text []byte, err error) {
	err = errors.New("no --report-url is given")
	for _, base := range p.ReportURLs {
		status, text, err = p.postTo(ctx, base, path, id, body)
		if err == nil && status < http.StatusInternalServerError {
			break
		}
	}
	return status, text, err
}

func (p *Standin) postTo(ctx context.Context, base, path, id string, body []byte,
) (int, []byte, error) {
	headers, err := signature.Headers(p.keys.reportSecrets, id, time.Now(), body)
	if err != nil {
		return 0, nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost,
		strings.TrimSuffix(base, "/")+"/processor/v1/"+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	return p.do(request)
}

func (p *Standin) do(request *http.Request) (int, []byte, error) {
	response, err := p.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	return response.StatusCode, text, err
}

// sendSigned sends any message to /processor/v1/ and responds with Mintmark's response.
func (p *Standin) sendSigned(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		answer(w, http.StatusUnprocessableEntity, problem{err.Error()})
		return
	}
	p.relay(r.Context(), w, r.PathValue("path"), body)
}

// relayed is a response from Mintmark.
type relayed struct {
	Status int             `json:"status"`
	Answer json.RawMessage `json:"answer"`
}

func (p *Standin) relay(ctx context.Context, w http.ResponseWriter, path string, body []byte) {
	status, text, err := p.post(ctx, path, "msg-"+strings.ToLower(rand.Text()), body)
	if err != nil {
		answer(w, http.StatusBadGateway, problem{err.Error()})
		return
	}
	if !json.Valid(text) {
		text, _ = json.Marshal(string(text)) // a string can always be encoded
	}
	answer(w, http.StatusOK, relayed{status, text})
}
