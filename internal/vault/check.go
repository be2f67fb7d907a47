package vault

import (
	"fmt"
	"os"
)

// Check reads the keys in a directory and reports what is wrong with them. Unlike Open it makes no
// keys and writes nothing.
func Check(dir string, allowReadable bool) error {
	read := readPrivate
	if allowReadable {
		read = os.ReadFile
	}
	text, err := read(directory(dir).path(keysetFile))
	if err != nil {
		return err
	}
	sets, err := parseKeysets(text)
	if err != nil {
		return fmt.Errorf("read %s: %w", keysetFile, err)
	}
	if err := new(Vault).useKeysets(sets); err != nil {
		return fmt.Errorf("read %s: %w", keysetFile, err)
	}
	text, err = read(directory(dir).path(pinFile))
	if err != nil {
		return err
	}
	if _, err := parsePinKey(text); err != nil {
		return fmt.Errorf("read %s: %w", pinFile, err)
	}
	_, err = Settings{Dir: dir, MustExist: true, AllowReadable: allowReadable}.readProcessorKey()
	return err
}
