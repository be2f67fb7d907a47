package auth

// Occupy takes all slots for password checks of unknown browsers.
func (o *Operators) Occupy() {
	for range cap(o.hashing) {
		o.hashing <- struct{}{}
	}
}
