package sqlstore

import (
	"mintmark/internal/customer"
	"mintmark/internal/store"
)

// FindDossier looks for the customer and the card both together and apart, because one of them may
// be missing and nobody wants to ask twice.
func (r *reader) FindDossier(of store.DossierKey) (store.Dossier, error) {
	var dossier store.Dossier
	var found gathering
	var asks customer.Customer
	err := r.together(append(programQuestions(&dossier.Program, of.ProgramID, findMaking),
		found.question(&asks, StandingByID, of.ProgramID, of.CustomerID, of.CardID),
		briefly(&asks, findBrief, of.ProgramID, of.CustomerID),
		briefly(&dossier.Creator, findCreator, of.ProgramID, of.CardID),
		listing(&dossier.Attempts, scanTime, listAttempts, of.CardID, of.Kind, of.Limit))...)
	if err == nil && asks.ID == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Dossier{}, err
	}
	r.remember(found.cards...)
	dossier.Standing = found.standing(asks)
	if len(found.cards) == 0 {
		dossier.Creator, dossier.Attempts = customer.Customer{}, nil
	}
	return dossier, nil
}
