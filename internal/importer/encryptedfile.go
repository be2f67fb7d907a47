package importer

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"io"
)

// encryptedFile is a temporary file that is encrypted under a random key (AES-256 in counter mode,
// which allows reads at any offset). No other process can change it, because it has no name.
type encryptedFile struct {
	block cipher.Block
	file  io.ReaderAt
}

func hide(file io.ReaderAt) encryptedFile {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	block, err := aes.NewCipher(key)
	if err != nil {
		panic("importer: AES refuses a key of 32 bytes") // cannot happen
	}
	return encryptedFile{block, file}
}

// stream returns the key stream from an offset.
func (h encryptedFile) stream(offset int64) cipher.Stream {
	counter := make([]byte, aes.BlockSize)
	binary.BigEndian.PutUint64(counter[8:], uint64(offset/aes.BlockSize))
	stream := cipher.NewCTR(h.block, counter)
	before := make([]byte, offset%aes.BlockSize)
	stream.XORKeyStream(before, before)
	return stream
}

// writer returns a writer that encrypts from the beginning of the file.
func (h encryptedFile) writer(file io.Writer) io.Writer {
	return cipher.StreamWriter{S: h.stream(0), W: file}
}

// ReadAt reads and decrypts the file.
func (h encryptedFile) ReadAt(into []byte, offset int64) (int, error) {
	read, err := h.file.ReadAt(into, offset)
	h.stream(offset).XORKeyStream(into[:read], into[:read])
	return read, err
}
