package journal

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"mintmark/client"
)

// Caller orders cards, and locks and unlocks one of them, one request at a time.
type Caller struct {
	Name     string
	API      *client.Client
	Journal  *Journal
	Customer int

	card int    // that it locks and unlocks; 0 for none
	lock string // of that card
}

// Work works until the context ends, and completes the last request.
func (c *Caller) Work(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		const often = 5 // one in this many requests is an order
		var e Entry
		if c.card == 0 || n%often == 0 {
			e = c.order(fmt.Sprintf("%s, %d", c.Name, n))
		} else {
			e = c.turn()
		}
		c.Journal.note(e)
		switch e.Code {
		case http.StatusOK:
			c.card, c.lock = e.Card, e.Lock
			continue
		case refused: // nothing has happened
		default:
			c.card = 0 // its status is unknown
		}
		//nolint:forbidigo // A caller whose server is away tries again after a pause.
		time.Sleep(10 * time.Millisecond)
	}
}

// asking returns the context of a request with a new request id, and the id.
func asking() (context.Context, string) {
	request := uuid.NewString()
	return client.WithRequestID(context.Background(), request), request
}

func (c *Caller) order(name string) Entry {
	ctx, request := asking()
	e := Entry{Request: request, Route: "/card/initiate", Tag: "tag of " + name}
	card, err := c.API.CardInitiate(ctx, client.CardInitiateRequest{
		CustomerID: c.Customer, CardHolderCustomerID: c.Customer, VendorTypeCode: "VS",
		PrimaryAccountID: 2001, FirstName: "Ada", LastName: "Example", NickName: name, Tag: e.Tag,
	})
	e.Lock = "UNL"
	return e.answered(card, err)
}

// turn locks an unlocked card, and unlocks a locked one.
func (c *Caller) turn() Entry {
	ctx, request := asking()
	if c.lock == "UNL" {
		e := Entry{Request: request, Route: "/card/lock", Card: c.card, Lock: "CST"}
		card, err := c.API.CardLock(ctx, client.CardLockRequest{
			CustomerID: c.Customer, CardID: c.card, LockReasonTypeCode: "TMP",
		})
		return e.answered(card, err)
	}
	e := Entry{Request: request, Route: "/card/unlock", Card: c.card, Lock: "UNL"}
	card, err := c.API.CardUnlock(ctx, client.CardRequest{CustomerID: c.Customer, CardID: c.card})
	return e.answered(card, err)
}

// answered adds the answer to an entry.
func (e Entry) answered(card client.Card, err error) Entry {
	e.At = time.Now()
	failure := new(client.Failure)
	switch {
	case err == nil:
		e.Code, e.Card = http.StatusOK, card.CardID
	case errors.As(err, &failure) && len(failure.Errors) > 0:
		e.Code = failure.Errors[0].Code
	}
	return e
}
