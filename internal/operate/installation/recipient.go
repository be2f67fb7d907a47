package installation

import "context"

// Recipient is whom files for an installation are encrypted to.
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
