package standin

import (
	"encoding/json"
	"io"
	"net/http"
	"time"

	"mintmark/internal/processor"
	"mintmark/internal/processor/message"
	"mintmark/internal/processor/simulator"
	"mintmark/internal/vault/signature"
)

// maxBody is the maximum size of a request body, in bytes.
const maxBody = 1 << 20

// handler returns the handler of orders and of test commands.
func (p *Standin) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", p.takeOrder)
	p.addCommands(mux)
	return mux
}

// result is the response to an order.
type result struct {
	Result string `json:"result"`
	Reason string `json:"reason,omitempty"`
}

// takeOrder accepts an order from Mintmark.
func (p *Standin) takeOrder(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		answer(w, http.StatusBadRequest, result{Result: "invalid", Reason: "the body is cut"})
		return
	}
	if signature.Verify(p.keys.orderSecrets, r.Header, text, time.Now()) != nil {
		answer(w, http.StatusUnauthorized, result{Result: "unsigned"})
		return
	}
	body, err := message.DecodeOrder(text)
	if err == nil && r.Header.Get(signature.HeaderID) != body.OrderID {
		answer(w, http.StatusBadRequest,
			result{Result: "invalid", Reason: "webhook-id is not the orderId"})
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.machine.Mode() == simulator.Down {
		answer(w, http.StatusServiceUnavailable, result{Result: "down"})
		return
	}
	if err == nil {
		_, err = p.open(body)
	}
	if err != nil {
		answer(w, http.StatusBadRequest, result{Result: "invalid", Reason: err.Error()})
		return
	}
	taken, err := p.record(event{Order: &body})
	if err != nil {
		answer(w, http.StatusInternalServerError, result{Result: "failed"})
		return
	}
	p.step("taken")
	answer(w, statusOf(taken), resultOf(taken))
}

func statusOf(taken done) int {
	switch {
	case taken.repeated:
		return http.StatusConflict
	case taken.answer.Outcome == processor.Accepted:
		return http.StatusAccepted
	case taken.answer.Outcome == processor.Refused:
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}

func resultOf(taken done) result {
	return result{Result: string(taken.answer.Outcome), Reason: taken.answer.Reason}
}

// answer writes a JSON response. It ignores errors, which mean that the client has gone.
func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
