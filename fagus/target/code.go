package target

import "fmt"

// Code is what a call returns to a program in another language; cmd/libfagus/fagus.h has the same.
type Code int32

// The codes.
const (
	OK         Code = iota
	NotRunning      // before the run begins, or after its end
	Running         // it has begun already
	Argument        // null, empty, negative, or out of the range of its type
	Handle          // no such variable or set
	Address         // outside of what was allocated
	Bound           // another variable guards it
	Name            // used already
	Twice           // the variable is in the set already
	Held            // something is held
	NotHeld         // nothing is held, or another set
	Busy            // another thread is in a call
	Memory          // there is none left
	Job             // the launcher's environment makes no sense, or its ranks do not meet
	Lost            // another rank or the network has failed, or ranks do not agree; nothing works any more
	Internal        // a mistake in Fagus
	codes
)

// texts are what the codes say.
func texts() [codes]string {
	return [codes]string{
		"success",
		"the run has not begun, or has ended",
		"the run has begun already",
		"an argument is null, empty, negative or unknown",
		"no such variable or set",
		"the address range is not inside an array",
		"another variable guards these bytes",
		"the name is used already",
		"the variable is in the set already",
		"something is held: release it first",
		"that is not held",
		"another thread is in a call",
		"no memory",
		"the job's environment makes no sense, or its ranks do not meet",
		"the run has failed",
		"a mistake in Fagus",
	}
}

// String says what a code means.
func (c Code) String() string {
	if c < 0 || c >= codes {
		return fmt.Sprintf("code %d", int32(c))
	}
	return texts()[c]
}

// Error is a code with what led to it.
type Error struct {
	Code Code
	Text string
}

// Error is the text.
func (e *Error) Error() string { return e.Text }

func fail(c Code, format string, args ...any) error {
	return &Error{c, "fagus: " + fmt.Sprintf(format, args...)}
}
