package auth

// Occupy takes all places where the passwords of browsers that are not known are checked.
func (o *Operators) Occupy() {
	for range cap(o.hashing) {
		o.hashing <- struct{}{}
	}
}
