package csession

import "fmt"

// Code is the result of a call, for a program in another language. cmd/libfagus/fagus.h defines
// the same codes.
type Code int32

// The codes.
const (
	OK         Code = iota
	NotRunning      // the run has not begun, or has ended
	Running         // the run has already begun
	Argument        // null, empty, negative, or out of the range of its type
	Handle          // no such variable or set
	Address         // not inside an array
	Bound           // another variable guards some of the bytes
	Name            // the name is already in use
	Twice           // the variable is already in the set
	Held            // a set is held
	NotHeld         // the set or variable is not held
	Busy            // another thread is in a call
	Memory          // out of memory
	Job             // the launcher's environment is contradictory, or the ranks cannot join
	Lost            // the run has failed: another rank or the network failed, or ranks disagree
	Internal        // a bug in Fagus
	codes
)

func texts() [codes]string {
	return [codes]string{
		"success",
		"the run has not begun, or has ended",
		"the run has already begun",
		"an argument is null, empty, negative or out of range",
		"no such variable or set",
		"the address range is not inside an array",
		"another variable guards these bytes",
		"the name is already in use",
		"the variable is already in the set",
		"a set is held: release it first",
		"the set or variable is not held",
		"another thread is in a call",
		"out of memory",
		"the job's environment is contradictory, or its ranks cannot join",
		"the run has failed",
		"a bug in Fagus",
	}
}

// String returns the meaning of the code.
func (c Code) String() string {
	if c < 0 || c >= codes {
		return fmt.Sprintf("code %d", int32(c))
	}
	return texts()[c]
}

// Error is a Code with the text that explains it.
type Error struct {
	Code Code
	Text string
}

// Error returns the text.
func (e *Error) Error() string { return e.Text }

func fail(c Code, format string, args ...any) error {
	return &Error{c, "fagus: " + fmt.Sprintf(format, args...)}
}
