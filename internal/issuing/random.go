package issuing

import (
	"fmt"
	"io"
)

// RandomBytes returns random bytes for a secret or an identifier.
func (s *Service) RandomBytes(length int) ([]byte, error) {
	drawn := make([]byte, length)
	if _, err := io.ReadFull(s.Secrets, drawn); err != nil {
		return nil, fmt.Errorf("generate a secret: %w", err)
	}
	return drawn, nil
}
