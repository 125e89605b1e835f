package npb

import (
	"fmt"
	"strings"

	"github.com/fagus-dsm/fagus/fagus"
)

// Class is the size of a problem.
type Class byte

// The classes that there are values for.
const (
	S Class = 'S' // sample
	W Class = 'W' // workstation
	A Class = 'A' // the smallest of the supercomputers of 1994
)

// ParseClass is the class of a name.
func ParseClass(name string) (Class, error) {
	switch c := Class(strings.ToUpper(name + " ")[0]); {
	case len(name) == 1 && (c == S || c == W || c == A):
		return c, nil
	}
	return 0, fmt.Errorf("npb: class %q: want S, W or A", name)
}

// String is the letter.
func (c Class) String() string { return string(rune(c)) }

// OperationTime is what an operation takes on a simulated machine.
const OperationTime = 10 * fagus.Nanosecond

// Config is what all benchmarks are told.
type Config struct {
	Class Class
	// Progress, if not nil, is called at every rank with what it has just finished, in the
	// benchmark's units.
	Progress func(units int)
	// Spoil makes one number of the last rank wrong: for those who want to see that it is found.
	Spoil bool
}

// Advance calls Progress, if there is one.
func (c *Config) Advance(units int) {
	if c.Progress != nil {
		c.Progress(units)
	}
}
