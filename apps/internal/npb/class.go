package npb

import (
	"fmt"
	"strings"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

// Class is a problem size.
type Class byte

// The classes with reference values here.
const (
	S Class = 'S' // sample
	W Class = 'W' // workstation
	A Class = 'A' // the smallest class for supercomputers, as of 1994
	B Class = 'B' // about four times the work of A, or more
	C Class = 'C'
)

// classes has the letters of all classes, in ascending order.
const classes = "SWABC"

// ParseClass returns the class with the given name, in upper or lower case.
func ParseClass(name string) (Class, error) {
	if letter := strings.ToUpper(name); len(letter) == 1 && strings.Contains(classes, letter) {
		return Class(letter[0]), nil
	}
	return 0, fmt.Errorf("npb: class %q: want S, W, A, B or C", name)
}

// String returns the letter of the class.
func (c Class) String() string { return string(rune(c)) }

// OperationTime is the cost of one operation on a simulated machine.
const OperationTime = 10 * fagus.Nanosecond

// Config has the parameters of a benchmark.
type Config struct {
	Class Class
	// Progress counts the units of the benchmark's Units function, and is called at every rank.
	// Spoil corrupts a number of the last rank that has data.
	verify.Options
}
