package vault

// Check reads the keys in a directory and reports what is wrong with them. It generates no keys and
// writes nothing.
func Check(s Settings) error {
	s.MustExist, s.ReadOnly, s.NewWrapping = true, true, nil
	_, err := openVault(s)
	return err
}
