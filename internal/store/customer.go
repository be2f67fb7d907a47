package store

import "mintmark/internal/domain/customer"

// Customers are the people who create and hold the cards of a program.
type Customers interface {
	Find(programID, customerID int) (customer.Customer, error)
	// FindMany returns customers of any program by their IDs: an operator's file may name the wrong
	// program.
	FindMany(customerIDs []int) (map[int]customer.Customer, error)
	// Put inserts a customer, or replaces the revision that was read.
	Put(c customer.Customer) error
	// List returns customer IDs in order.
	List(of CustomerQuery) ([]int, error)
	// Search returns customer IDs in order. When very many customers share a name, it returns only
	// the first of them.
	Search(of PeopleQuery) ([]int, error)
}

// Accounts are the checking and savings accounts of customers.
type Accounts interface {
	// FindFor returns an account and the customer's access, customer.NoAccess when there is none.
	FindFor(programID, accountID, customerID int) (
		customer.Account, customer.AccountAccess, error)
	// FindMany returns accounts of any program by their IDs.
	FindMany(accountIDs []int) (map[int]customer.Account, error)
	// HasFinerBalances reports whether any account of a program has a balance or a hold with more
	// than the given number of decimal digits.
	HasFinerBalances(programID, digits int) (bool, error)
	// Put inserts an account, or replaces the revision that was read.
	Put(a customer.Account) error
	// List returns account IDs in order.
	List(of AccountQuery) ([]int, error)
}

// Access is the customers' access to accounts.
type Access interface {
	// Find returns customer.NoAccess when the customer has no access to the account.
	Find(customerID, accountID int) (customer.AccountAccess, error)
	// List returns all access rows of the given customers.
	List(customerIDs []int) ([]customer.Access, error)
	// Put grants access, or replaces the revision that was listed.
	Put(a customer.Access) error
	// Delete removes access. It fails with ErrLostUpdate when the stored row has another revision
	// or is gone.
	Delete(a customer.Access) error
}
