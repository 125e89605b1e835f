package identity

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
)

// Inherited returns the identity in a file descriptor that this process has inherited, and closes
// the descriptor. where names it as "fd:3"; 3 is the lowest.
func Inherited(where string) (*Identity, error) {
	number, found := strings.CutPrefix(where, "fd:")
	fd, err := strconv.ParseUint(number, 10, 16)
	if !found || err != nil || fd < 3 {
		return nil, errors.New("want fd: and an inherited file descriptor, 3 or more")
	}
	return Read(os.NewFile(uintptr(fd), where))
}

// Read returns the identity in a file, of which it reads at most 64 KiB, and closes the file.
func Read(f io.ReadCloser) (*Identity, error) {
	const most = 64 << 10
	text, err := io.ReadAll(io.LimitReader(f, most))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return Parse(text)
}
