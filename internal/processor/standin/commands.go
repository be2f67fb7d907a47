package standin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"mintmark/internal/domain/order"
	"mintmark/internal/processor/simulator"
)

// addCommands adds the routes for tests. No route shows a card number or a PIN.
func (p *Standin) addCommands(mux *http.ServeMux) {
	mux.HandleFunc("GET /simulator", p.showState)
	mux.HandleFunc("POST /simulator/mode", p.changeMode)
	mux.HandleFunc("GET /simulator/orders", p.showOrders)
	mux.HandleFunc("GET /simulator/reports", p.showReports)
	mux.HandleFunc("GET /simulator/cards/{id}", p.showCard)
	mux.HandleFunc("POST /simulator/cards/{id}/report", p.report)
	mux.HandleFunc("POST /simulator/cards/{id}/pin", p.comparePin)
	mux.HandleFunc("POST /simulator/cards/{id}/authorize", p.authorize)
	mux.HandleFunc("POST /simulator/send/{path}", p.sendSigned)
	p.addLists(mux)
}

// problem is the response to a command that cannot be carried out.
type problem struct {
	Error string `json:"error"`
}

// state is a summary of the stand-in.
type state struct {
	Mode           simulator.Mode `json:"mode"`
	Orders         int            `json:"orders"`
	ReportsWaiting int            `json:"reportsWaiting"`
	OrdersFile     int            `json:"ordersFile"`  // last file taken
	ReportsFile    int            `json:"reportsFile"` // last file written
	Steps          int64          `json:"steps"`       // passed so far, see CrashAt
}

func (p *Standin) showState(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	answer(w, http.StatusOK, state{
		Mode: p.machine.Mode(), Orders: len(p.machine.Orders(0)),
		ReportsWaiting: len(p.machine.Waiting()), OrdersFile: p.took, ReportsFile: p.wrote,
		Steps: p.steps.Load(),
	})
}

func (p *Standin) changeMode(w http.ResponseWriter, r *http.Request) {
	var body struct{ Mode simulator.Mode }
	if !readCommand(w, r, &body) {
		return
	}
	if !slices.Contains(simulator.Modes, body.Mode) {
		answer(w, http.StatusUnprocessableEntity,
			problem{fmt.Sprintf("a mode is one of %v", simulator.Modes)})
		return
	}
	p.mu.Lock()
	_, err := p.record(event{Mode: body.Mode})
	p.mu.Unlock()
	if err != nil {
		answer(w, http.StatusInternalServerError, problem{err.Error()})
		return
	}
	p.showState(w, r)
}

// showOrders returns orders in order of arrival, all of them or those of a card.
func (p *Standin) showOrders(w http.ResponseWriter, r *http.Request) {
	cardID, err := strconv.Atoi(r.FormValue("cardId"))
	if err != nil && r.FormValue("cardId") != "" {
		answer(w, http.StatusUnprocessableEntity, problem{"cardId is a number"})
		return
	}
	p.mu.Lock()
	orders := p.machine.Orders(cardID)
	p.mu.Unlock()
	answer(w, http.StatusOK, struct {
		Orders []simulator.Received `json:"orders"`
	}{append([]simulator.Received{}, orders...)})
}

// showReports returns the undelivered reports, and Mintmark's results over HTTP.
func (p *Standin) showReports(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	answer(w, http.StatusOK, struct {
		Waiting []order.Report                `json:"waiting"`
		Results map[string]order.ReportResult `json:"results"`
	}{append([]order.Report{}, p.machine.Waiting()...), p.results})
}

// shownCard is a card without its secrets.
type shownCard struct {
	CardID    int             `json:"cardId"`
	ProgramID int             `json:"programId"`
	Making    string          `json:"making"`
	Lock      string          `json:"lock"`
	Closed    bool            `json:"closed"`
	HasNumber bool            `json:"hasNumber"`
	HasPin    bool            `json:"hasPin"`
	LastFour  string          `json:"lastFour,omitempty"`
	Accounts  *order.Accounts `json:"accounts,omitempty"`
	Card      order.Snapshot  `json:"card"`
}

func (p *Standin) showCard(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.card(w, r)
	if c == nil {
		return
	}
	shown := shownCard{
		CardID: c.ID, ProgramID: c.ProgramID, Making: c.Making, Lock: c.Lock, Closed: c.Closed,
		HasNumber: c.Secret != nil, HasPin: c.Pin != nil, Accounts: c.Accounts, Card: c.Snapshot,
	}
	if c.Secret != nil {
		shown.LastFour = c.Secret.Number.LastFour()
	}
	answer(w, http.StatusOK, shown)
}

// card returns the card of a command, or responds that it does not exist. The caller holds mu.
func (p *Standin) card(w http.ResponseWriter, r *http.Request) *simulator.Card {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err == nil {
		if c := p.machine.Card(id); c != nil {
			return c
		}
	}
	answer(w, http.StatusNotFound, problem{"no order has named the card"})
	return nil
}

// report queues a report on command.
func (p *Standin) report(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Kind   order.ReportKind
		Reason string
	}
	if !readCommand(w, r, &body) {
		return
	}
	if !slices.Contains(order.ReportKinds, body.Kind) {
		answer(w, http.StatusUnprocessableEntity,
			problem{fmt.Sprintf("kind is one of %v", order.ReportKinds)})
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.card(w, r)
	if c == nil {
		return
	}
	said, err := p.record(event{Say: &say{CardID: c.ID, Kind: body.Kind, Reason: body.Reason}})
	if err != nil {
		answer(w, http.StatusInternalServerError, problem{err.Error()})
		return
	}
	answer(w, http.StatusOK, said.report)
}

// comparePin responds whether a PIN is the card's.
func (p *Standin) comparePin(w http.ResponseWriter, r *http.Request) {
	var body struct{ Pin string }
	if !readCommand(w, r, &body) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.card(w, r)
	if c == nil {
		return
	}
	answer(w, http.StatusOK, struct {
		Matches bool `json:"matches"`
	}{c.Pin != nil && c.Pin.Reveal() == body.Pin})
}

// readCommand reads the body of a command, or responds with its problem.
func readCommand(w http.ResponseWriter, r *http.Request, into any) bool {
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		answer(w, http.StatusUnprocessableEntity, problem{err.Error()})
		return false
	}
	return true
}
