package orders

// WalkOrders lets lists look at so many orders a page until the returned function is called.
func WalkOrders(count int) (end func()) {
	before := ordersWalked
	ordersWalked = count
	return func() { ordersWalked = before }
}
