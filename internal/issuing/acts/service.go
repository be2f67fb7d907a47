// Package acts assembles the packages below issuing over one service.
package acts

import (
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/issuing/charts"
	"mintmark/internal/issuing/customers"
	"mintmark/internal/issuing/events"
	"mintmark/internal/issuing/keys"
	"mintmark/internal/issuing/operators"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/issuing/overview"
	"mintmark/internal/issuing/programs"
	"mintmark/internal/issuing/transfers"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// Service is a service with all of its acts.
type Service struct {
	*issuing.Service
	Cards     *cards.Service
	Charts    *charts.Service
	Customers *customers.Service
	Events    *events.Service
	Keys      *keys.Service
	Operators *operators.Service
	Orders    *orders.Service
	Overview  *overview.Service
	Programs  *programs.Service
	Transfers *transfers.Service
}

// New returns a service over a store and a vault.
func New(kept store.Store, keep *vault.Vault, settings issuing.Settings) *Service {
	s := issuing.New(kept, keep, settings)
	return &Service{
		Service: s, Cards: cards.New(s), Charts: charts.New(s),
		Customers: customers.New(s), Events: events.New(s), Keys: keys.New(s),
		Operators: operators.New(s), Orders: orders.New(s), Overview: overview.New(s),
		Programs: programs.New(s), Transfers: transfers.New(s),
	}
}

// Restore replaces the in-memory state with one that State returned, or clears it if text is empty.
func (s *Service) Restore(text []byte) error {
	if err := s.Service.Restore(text); err != nil {
		return err
	}
	s.Events.Forget()
	return nil
}
