package orders

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// OrderFilter selects orders to list. A zero field does not restrict.
type OrderFilter struct {
	ProgramID int
	CardID    int
	State     string
	Span      issuing.Span // of their creation
}

// dropped selects dropped orders as if it were a state. A dropped order is not listed as failed.
const dropped order.State = "dropped"

// orderStates lists the states by which orders can be selected.
var orderStates = []order.State{
	order.Waiting, order.Sent, order.Done, order.Failed, order.Held, dropped,
}

// ordersWalked limits the orders, including done ones, that a page of some programs or of dropped
// orders examines: millions of orders may not match. Tests set it.
var ordersWalked = 100_000

// ListOrders returns the orders that an operator may see, newest first. It examines a bounded
// number of orders: a page may be short or empty and still have a last key to continue from.
func (s *Service) ListOrders(
	ctx context.Context, who issuing.Operator, filter OrderFilter, page issuing.Page,
) (orders []order.Order, last string, err error) {
	before, err := page.Number()
	if err != nil {
		return nil, "", err
	}
	state := order.State(filter.State)
	if state != "" && !slices.Contains(orderStates, state) {
		return nil, "", issuing.Invalid("", "the parameter state is not a state of an order")
	}
	isDropped := state == dropped
	if isDropped {
		state = ""
	}
	query := store.OrderQuery{
		CardID: filter.CardID, State: state, Dropped: isDropped, Before: before, Limit: page.Limit + 1,
	}
	more := 0 // the number that the list has reached without filling the page
	err = s.Store.View(ctx, func(r store.Tx) error {
		within, err := spanOf(r, filter.Span)
		if err != nil {
			return err
		}
		query := query
		query.Before, query.From, more = within.before(before), within.first, 0
		programs, err := s.VisiblePrograms(r, who, filter.ProgramID)
		if err != nil {
			return err
		}
		isSparse := isDropped || programs != nil && (state == "" || state == order.Done)
		if programs == nil {
			programs = []int{0} // stands for all
		}
		if query.CardID == 0 && isSparse {
			from, err := lowest(r, query)
			if err != nil {
				return err
			}
			if from > query.From {
				query.From, more = from, from
			}
		}
		var listed []order.Order
		for _, id := range programs {
			query.ProgramID = id
			ofProgram, err := listOrders(r, query)
			if err != nil {
				return err
			}
			listed = append(listed, ofProgram...)
		}
		slices.SortFunc(listed, func(a, b order.Order) int { return cmp.Compare(b.ID, a.ID) })
		orders = listed[:min(len(listed), query.Limit)]
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	orders, last = issuing.CutPage(orders, page, func(o order.Order) int { return o.ID })
	if last == "" && more > 0 {
		last = strconv.Itoa(more)
	}
	return orders, last, nil
}

// lowest returns the lowest number of an order that a page of some programs examines.
func lowest(r store.Tx, query store.OrderQuery) (int, error) {
	if query.Before == 0 {
		newest, err := r.Orders().List(store.OrderQuery{Limit: 1})
		if err != nil || len(newest) == 0 {
			return 0, err
		}
		query.Before = newest[0].ID + 1
	}
	return query.Before - ordersWalked, nil
}

// numbers is a range of order numbers: from first on, and below behind; 0 for no bound.
type numbers struct{ first, behind int }

// before returns the lower of the bound and the beginning of a page, where 0 means none.
func (n numbers) before(page int) int {
	if page == 0 || n.behind != 0 && n.behind < page {
		return n.behind
	}
	return page
}

// spanOf converts times into order numbers, which follow the times of creation.
func spanOf(r store.Tx, span issuing.Span) (n numbers, err error) {
	if !span.From.IsZero() {
		n.first, err = firstSince(r, span.From)
	}
	if err == nil && !span.To.IsZero() {
		n.behind, err = firstSince(r, span.To)
	}
	return n, err
}

// firstSince returns the number after the last order that was written before a time, by binary
// search.
func firstSince(r store.Tx, moment time.Time) (int, error) {
	newest, err := r.Orders().List(store.OrderQuery{Limit: 1})
	if err != nil || len(newest) == 0 {
		return 1, err
	}
	first, last := 1, newest[0].ID+1
	for first < last {
		middle := first + (last-first)/2
		orders, err := r.Orders().List(store.OrderQuery{Before: middle + 1, Limit: 1})
		if err != nil {
			return 0, err
		}
		switch {
		case len(orders) == 0 || orders[0].ID < first:
			first = middle + 1
		case orders[0].Created.Before(moment):
			first = middle + 1
		default:
			last = orders[0].ID
		}
	}
	return first, nil
}

// listOrders returns the orders of a query. It filters the orders of a card by state itself,
// because they are few.
func listOrders(r store.Tx, query store.OrderQuery) ([]order.Order, error) {
	if query.CardID == 0 || query.State == "" && !query.Dropped {
		return r.Orders().List(query)
	}
	ofCard := query
	ofCard.State, ofCard.Dropped, ofCard.Limit = "", false, maxOfCard
	all, err := r.Orders().List(ofCard)
	all = slices.DeleteFunc(all, func(o order.Order) bool {
		if query.Dropped {
			return o.Dropped.IsZero()
		}
		return o.State != query.State || !o.Dropped.IsZero()
	})
	return all[:min(len(all), query.Limit)], err
}

// maxOfCard limits the orders of one card that are examined.
const maxOfCard = 10_000

// FindOrder returns an order in the operator's scope, by its public identifier or its number.
func (s *Service) FindOrder(
	ctx context.Context, who issuing.Operator, id string,
) (order.Order, error) {
	programOf := func(o order.Order) int { return o.ProgramID }
	return issuing.FindInScope(ctx, s.Service, who, programOf,
		func(r store.Tx) (order.Order, error) { return orderByID(r, id) })
}

// orderByID returns an order by its public identifier, or by its number if it has no identifier
// yet.
func orderByID(r store.Tx, id string) (order.Order, error) {
	text, _, _ := strings.Cut(id, "-")
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 {
		return order.Order{}, fmt.Errorf("order: %w", store.ErrNotFound)
	}
	o, err := r.Orders().Find(number)
	if err == nil && id != text && !o.Is(id) && id != o.PublicID() {
		err = store.ErrNotFound
	}
	if err != nil {
		return order.Order{}, fmt.Errorf("order %d: %w", number, err)
	}
	return o, nil
}
