package fagus

import (
	"encoding/json"
	"fmt"
	"iter"
)

// Steps returns the numbers of the steps of a loop that all ranks go through, from 0 to end-1; in a
// run that has resumed, from the first step on that was not made. Between two steps it calls
// Checkpoint: a step leaves the rank without variables. The loop ends early when Err is not nil.
//
//	for i := range n.Steps(iterations) {
//		iterate(i)
//	}
//
// After the last step there is none: a program that wants the result saved calls Checkpoint.
//
// The first loop of Steps or Rounds does so. Later ones, and those within it, begin at 0 and make
// no checkpoints: what precedes them must not be done again.
func (n *Node) Steps(end int) iter.Seq[int] {
	return func(yield func(int) bool) {
		n.loop(end, 1, func(lo, _ int) bool { return yield(lo) })
	}
}

// mostRounds is the number of rounds into which Rounds divides items.
const mostRounds = 16

// Rounds is Steps for a program of one step: it divides items, which all ranks compute together,
// into rounds of the items from lo to hi-1. With Config.Checkpoints there are some 16 rounds.
// Without it there is one, from 0 to items.
//
//	for lo, hi := range n.Rounds(items) {
//		compute(lo, hi) // of which this rank does its part
//	}
func (n *Node) Rounds(items int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		each := items
		if n.checkpoints != nil && !n.looped {
			each = (items + mostRounds - 1) / mostRounds
		}
		n.loop(items, each, yield)
	}
}

// loop calls body for each steps at a time, until it returns false.
func (n *Node) loop(end, each int, body func(lo, hi int) bool) {
	at, first := new(int), !n.looped
	if first {
		at, n.looped = &n.steps, true
	}
	if *at > max(end, 0) {
		_ = n.errorf("Steps: the run resumes after %d steps, and the loop has %d: give it as many as the run that was saved had", *at, end)
	}
	for *at < end && n.Err() == nil {
		next := min(*at+each, end)
		if !body(*at, next) {
			return
		}
		if *at = next; first && next < end {
			_ = n.Checkpoint() // an error sticks
		}
	}
}

// Begun returns the step at which this run has begun: how many steps of Steps, or items of Rounds,
// the runs before it have made from which it has resumed; otherwise 0.
func (n *Node) Begun() int { return n.begun }

// encodeState returns the number of steps made, or, if there are pointers of Resume, a list of it
// and what they point to.
func (n *Node) encodeState() (json.RawMessage, error) {
	if len(n.state) == 0 {
		return json.Marshal(n.steps)
	}
	return json.Marshal(append([]any{n.steps}, n.state...))
}

func (n *Node) decodeState(encoded json.RawMessage) error {
	if len(n.state) == 0 {
		encoded = append(append(json.RawMessage("["), encoded...), ']')
	}
	var values []json.RawMessage
	if err := json.Unmarshal(encoded, &values); err != nil || len(values) != 1+len(n.state) {
		return fmt.Errorf("the checkpoint has the state %.100s: want the number of steps and %d values: it is of another version of the program", encoded, len(n.state))
	}
	for i, to := range append([]any{&n.steps}, n.state...) {
		if err := json.Unmarshal(values[i], to); err != nil {
			return fmt.Errorf("value %d of the state %.100s: %w: it is of another version of the program", i, encoded, err)
		}
	}
	n.begun = n.steps
	return nil
}
