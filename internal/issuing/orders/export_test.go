package orders

// WalkOrders limits a page of a list to count orders until the returned function is called.
func WalkOrders(count int) (end func()) {
	before := ordersWalked
	ordersWalked = count
	return func() { ordersWalked = before }
}
