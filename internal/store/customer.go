package store

import "mintmark/internal/domain/customer"

// Customers are the people who create and hold the cards of a program.
type Customers interface {
	Find(programID, customerID int) (customer.Customer, error)
	// FindMany returns customers by their numbers, in every program: an operator's file may name
	// the wrong program.
	FindMany(customerIDs []int) (map[int]customer.Customer, error)
	// Put inserts a customer, or replaces the revision that was read.
	Put(c customer.Customer) error
	// List returns the numbers of customers in their order.
	List(of CustomerQuery) ([]int, error)
	// Search returns the numbers of customers in their order. Of very many with the same name it
	// finds the first.
	Search(of PeopleQuery) ([]int, error)
}

// Accounts are the checking and savings accounts of customers.
type Accounts interface {
	// FindFor returns an account, and customer.NoAccess where the customer has no access.
	FindFor(programID, accountID, customerID int) (
		customer.Account, customer.AccountAccess, error)
	// FindMany returns accounts by their numbers, in every program.
	FindMany(accountIDs []int) (map[int]customer.Account, error)
	// HasFinerBalances reports whether an account of a program has a balance, or a hold, with more
	// decimal digits than given.
	HasFinerBalances(programID, digits int) (bool, error)
	// Put inserts an account, or replaces the revision that was read.
	Put(a customer.Account) error
	// List returns the numbers of accounts in their order.
	List(of AccountQuery) ([]int, error)
}

// Access says which customers may use which accounts.
type Access interface {
	// Find returns customer.NoAccess where there is none.
	Find(customerID, accountID int) (customer.AccountAccess, error)
	// List returns all access of the given customers.
	List(customerIDs []int) ([]customer.Access, error)
	// Put grants access, or replaces the revision that was listed.
	Put(a customer.Access) error
	// Delete takes access away. It fails with ErrLostUpdate when the stored row has another
	// revision or is gone.
	Delete(a customer.Access) error
}
