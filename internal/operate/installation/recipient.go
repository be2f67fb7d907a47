package installation

import "context"

// Recipient returns the recipient to encrypt files for an installation to.
func Recipient(ctx context.Context, l Location) (string, error) {
	if err := l.CheckTables(ctx); err != nil {
		return "", err
	}
	keys, kept, err := l.OpenBeside(ctx)
	if err != nil {
		return "", err
	}
	return keys.Recipient(), kept.Close()
}
