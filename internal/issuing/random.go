package issuing

import (
	"fmt"
	"io"
)

// Draw draws random bytes for a secret or an identifier.
func (s *Service) Draw(length int) ([]byte, error) {
	drawn := make([]byte, length)
	if _, err := io.ReadFull(s.Secrets, drawn); err != nil {
		return nil, fmt.Errorf("draw a secret: %w", err)
	}
	return drawn, nil
}
