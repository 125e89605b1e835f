package host

import (
	"errors"
	"fmt"
	"os"
)

// resident returns the memory that this process has, in bytes.
func resident() (int64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	var size, pages int64
	if n, _ := fmt.Sscan(string(text), &size, &pages); n < 2 {
		return 0, errors.New("sim: /proc/self/statm has no resident size")
	}
	return pages * int64(os.Getpagesize()), nil
}
