package pmi

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	maxBlob = 1 << 20 // maximum number of bytes that a rank passes to Gather
	// minValue is the smallest limit of a value in bytes with which Gather works. The first value
	// begins with the number of bytes.
	minValue = 64
	// maxKey bounds a key in bytes, with the byte that ends it in a launcher written in C.
	maxKey = 48
)

// valueKey returns the key of a piece of a rank's text. All numbers have at most 10 digits.
func valueKey(call uint32, rank, piece int) string {
	return fmt.Sprintf("fagus-%d-%d-%d", call, rank, piece)
}

// split returns the values that encode a rank's bytes. No value is empty or has more than most
// bytes, and none contains a character with a meaning in a protocol.
func split(blob []byte, most int) []string {
	text := []byte(strconv.Itoa(len(blob)) + "." + base64.RawURLEncoding.EncodeToString(blob))
	var values []string
	for piece := range slices.Chunk(text, most) {
		values = append(values, string(piece))
	}
	return values
}

// assembly puts the values of another rank together again.
type assembly struct {
	bytes int // length of the blob; valid after the first value
	left  int // how much of the text is missing
	text  strings.Builder
	begun bool
}

// add adds the next value. It reports whether the text is complete.
func (a *assembly) add(value string) (complete bool, err error) {
	if !a.begun {
		number, rest, found := strings.Cut(value, ".")
		n, err := strconv.Atoi(number)
		if !found || err != nil || n < 0 || n > maxBlob || strconv.Itoa(n) != number {
			return false, fmt.Errorf("the value %.40q begins with no length from 0 to %d", value, maxBlob)
		}
		a.begun, a.bytes, a.left, value = true, n, base64.RawURLEncoding.EncodedLen(n), rest
	} else if value == "" {
		return false, fmt.Errorf("a value is empty, and %d characters are missing", a.left)
	}
	if len(value) > a.left {
		return false, fmt.Errorf("a value has %d characters: want at most the missing %d", len(value), a.left)
	}
	a.text.WriteString(value)
	a.left -= len(value)
	return a.left == 0, nil
}

// blob returns the bytes. The text is complete.
func (a *assembly) blob() ([]byte, error) {
	text := a.text.String()
	if strings.ContainsAny(text, "\r\n") { // the decoder skips them
		return nil, fmt.Errorf("the text of %d characters contains a newline: want base64", len(text))
	}
	blob, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("the text of %d characters is not base64: %w", len(text), err)
	}
	return blob, nil
}
