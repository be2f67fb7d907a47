package orders

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// OrderFilter says which orders an operator wants listed. A zero field does not restrict.
type OrderFilter struct {
	ProgramID int
	CardID    int
	State     string
}

// orderStates are the states that orders are listed by.
var orderStates = []order.State{
	order.Waiting, order.Sent, order.Done, order.Failed, order.Held,
}

// ListOrders lists the orders that an operator sees, the newest first.
func (s *Service) ListOrders(
	ctx context.Context, who issuing.Operator, filter OrderFilter, page issuing.Page,
) (found []order.Order, last string, err error) {
	before, err := page.Number()
	if err != nil {
		return nil, "", err
	}
	state := order.State(filter.State)
	if state != "" && !slices.Contains(orderStates, state) {
		return nil, "", &issuing.InvalidError{Problems: problem.List{{
			Text: "the parameter state is not a state of an order",
		}}}
	}
	query := store.OrderQuery{
		CardID: filter.CardID, State: state, Before: before, Limit: page.Limit + 1,
	}
	err = s.Store.View(ctx, func(r store.Tx) error {
		programs, err := s.ProgramsSeen(r, who, filter.ProgramID)
		if err != nil {
			return err
		}
		if programs == nil {
			programs = []int{0} // which stands for all
		}
		var listed []order.Order
		for _, id := range programs {
			query.ProgramID = id
			more, err := listOrders(r, query)
			if err != nil {
				return err
			}
			listed = append(listed, more...)
		}
		slices.SortFunc(listed, func(a, b order.Order) int { return cmp.Compare(b.ID, a.ID) })
		found = listed[:min(len(listed), query.Limit)]
		return nil
	})
	if err != nil {
		return nil, "", issuing.FaultOf(err)
	}
	found, last = issuing.Cut(found, page, func(o order.Order) int { return o.ID })
	return found, last, nil
}

// listOrders also lists the orders of a card by their state, which are few.
func listOrders(r store.Tx, query store.OrderQuery) ([]order.Order, error) {
	state := query.State
	if query.CardID == 0 || state == "" {
		return r.Orders().List(query)
	}
	query.State = ""
	limit := query.Limit
	query.Limit = mostOfCard
	all, err := r.Orders().List(query)
	all = slices.DeleteFunc(all, func(o order.Order) bool { return o.State != state })
	return all[:min(len(all), limit)], err
}

// mostOfCard bounds how many orders of one card are looked at.
const mostOfCard = 10_000

// FindOrder returns an order to an operator, by its public identifier or its number.
func (s *Service) FindOrder(
	ctx context.Context, who issuing.Operator, id string,
) (order.Order, error) {
	var found order.Order
	err := s.Store.View(ctx, func(r store.Tx) error {
		one, err := orderByID(r, id)
		found = one
		return err
	})
	if err == nil {
		_, err = s.ProgramInScope(ctx, who, found.ProgramID)
	}
	if err != nil {
		return order.Order{}, issuing.FaultOf(err)
	}
	return found, nil
}

// orderByID finds an order by its public identifier. One that has none yet is named by its number.
func orderByID(r store.Tx, id string) (order.Order, error) {
	text, _, _ := strings.Cut(id, "-")
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 {
		return order.Order{}, fmt.Errorf("order: %w", store.ErrNotFound)
	}
	found, err := r.Orders().Find(number)
	if err == nil && id != text && !found.Is(id) && id != found.PublicID() {
		err = store.ErrNotFound
	}
	if err != nil {
		return order.Order{}, fmt.Errorf("order %d: %w", number, err)
	}
	return found, nil
}
