package entity

import "mintmark/internal/domain/customer"

// Restores reports whether a row gives a customer who was erased its data again.
func Restores(before, after customer.Customer) bool {
	return before.IsErased() && !after.IsErased()
}
