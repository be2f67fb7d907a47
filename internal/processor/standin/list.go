package standin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"mintmark/internal/processor/folder"
	"mintmark/internal/processor/simulator"
)

// addLists adds the routes for the list of cards that Mintmark compares with its own, and for tests
// to make the two differ.
func (p *Standin) addLists(mux *http.ServeMux) {
	mux.HandleFunc("GET /simulator/cards.jsonl", p.showList)
	mux.HandleFunc("POST /simulator/cards.jsonl", p.writeList)
	mux.HandleFunc("POST /simulator/cards/{id}/deviate", p.deviate)
}

// deviation is the command to change a card without an order.
type deviation struct {
	CardID    int             `json:"cardId"`
	ProgramID int             `json:"programId"`
	State     simulator.State `json:"state"`
}

// list returns the cards of a program as of now, one per line, with a header and totals. The caller
// holds mu, so that no order changes the cards between the rows.
func (p *Standin) list(programID int, now time.Time) ([]byte, error) {
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	rows := p.machine.List(programID)
	err := to.Encode(struct {
		Kind      string    `json:"kind"`
		ProgramID int       `json:"programId"`
		At        time.Time `json:"at"`
	}{"cards", programID, now})
	for _, row := range rows {
		err = errors.Join(err, to.Encode(row))
	}
	err = errors.Join(err, to.Encode(map[string]any{"totals": map[string]int{"cards": len(rows)}}))
	return text.Bytes(), err
}

// programOf returns the program of a command about a list, or responds that it is not a number.
func programOf(w http.ResponseWriter, r *http.Request) (int, bool) {
	id, err := strconv.Atoi(r.FormValue("programId"))
	if err != nil || id < 1 {
		answer(w, http.StatusUnprocessableEntity, problem{"programId is a number"})
		return 0, false
	}
	return id, true
}

// showList responds with the list.
func (p *Standin) showList(w http.ResponseWriter, r *http.Request) {
	programID, fine := programOf(w, r)
	if !fine {
		return
	}
	p.mu.Lock()
	text, err := p.list(programID, time.Now().UTC())
	p.mu.Unlock()
	if err != nil {
		answer(w, http.StatusInternalServerError, problem{err.Error()})
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	_, _ = w.Write(text) // an error means that the client has gone
}

// writeList writes the list to the folder of files, with the date in its name.
func (p *Standin) writeList(w http.ResponseWriter, r *http.Request) {
	programID, fine := programOf(w, r)
	if !fine {
		return
	}
	if p.folder == nil {
		answer(w, http.StatusConflict, problem{"there is no folder: --files names one"})
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now().UTC()
	name := fmt.Sprintf("cards-%d-%s.jsonl", programID, now.Format("20060102"))
	text, err := p.list(programID, now)
	if err == nil {
		err = p.folder.Write(folder.In, name, text)
	}
	if err != nil {
		answer(w, http.StatusInternalServerError, problem{err.Error()})
		return
	}
	answer(w, http.StatusOK, struct {
		File string `json:"file"`
	}{p.folder.Path(folder.In, name)})
}

// deviate changes a card without an order.
func (p *Standin) deviate(w http.ResponseWriter, r *http.Request) {
	var body deviation
	if !readCommand(w, r, &body) {
		return
	}
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil || id < 1 || body.ProgramID < 1 || body.CardID != 0 {
		answer(w, http.StatusUnprocessableEntity, problem{"the card and programId are numbers"})
		return
	}
	body.CardID = id
	if !slices.Contains(simulator.States, body.State) {
		answer(w, http.StatusUnprocessableEntity,
			problem{fmt.Sprintf("a state is one of %v", simulator.States)})
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.record(event{Deviate: &body}); err != nil {
		answer(w, http.StatusInternalServerError, problem{err.Error()})
		return
	}
	answer(w, http.StatusOK, body)
}
