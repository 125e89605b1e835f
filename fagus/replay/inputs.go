package replay

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus/recording"
)

// Number returns the recorded number. It compares a word of a Reduce with it.
func (e *Engine) Number(kind recording.InputKind, own uint64) uint64 {
	in, ok := e.input(kind)
	if !ok {
		return own
	}
	if kind == recording.Word || kind == recording.Vector {
		if e.result.Words++; in.Number != own {
			e.differ(Difference{Line: e.here(), Text: fmt.Sprintf("the rank gives %#x to a Reduce; recorded %#x", own, in.Number)})
		}
	}
	return in.Number
}

// Bytes returns the recorded bytes.
func (e *Engine) Bytes(kind recording.InputKind, own []byte) []byte {
	in, ok := e.input(kind)
	if !ok {
		return own
	}
	return in.Bytes
}

// input takes the next input.
func (e *Engine) input(kind recording.InputKind) (in recording.Input, ok bool) {
	if e.err != nil {
		return in, false
	}
	if len(e.inputs) == 0 {
		e.peek()
	}
	switch {
	case len(e.inputs) > 0 && e.inputs[0].Kind == kind:
		in, e.inputs = e.inputs[0], e.inputs[1:]
		return in, true
	case kind == recording.Now: // an edited program may ask for the time more often
		return recording.Input{Number: uint64(e.now)}, true
	case len(e.inputs) > 0:
		_ = e.diverge(e.here(), fmt.Sprintf("the program uses %v; the recorded run used %v", kind, e.inputs[0].Kind))
	case e.next == nil:
		_ = e.other(e.here(), kind.String(), nil)
	default:
		_ = e.diverge(e.here(), fmt.Sprintf("the program uses %v; the recorded run called %s", kind, e.describe(e.next)))
	}
	return in, false
}
