package fagus

import (
	"encoding/json"
	"fmt"
	"iter"
	"path"
	"reflect"
	"strconv"
	"strings"

	"github.com/fagus-dsm/fagus/fagus/internal/source"
)

// Steps returns the numbers of the steps of a loop that all ranks go through, from 0 to end-1; in a
// run that has resumed, from the first step on that was not made. Between two steps it calls
// Checkpoint: at the end of a step the rank holds no variable. The loop ends early when Err is not
// nil.
//
//	for i := range n.Steps(iterations) {
//		iterate(i)
//	}
//
// After the last step there is none: a program that wants the result saved calls Checkpoint. A
// break ends the loop: a run that resumes from a later Checkpoint makes none of its steps.
//
// The first loop of Steps or Rounds does so. Later ones, and those within it, begin at 0 and make
// no checkpoints: what precedes them must not be done again. So a fill, which a resumed run does
// not do, loops without Steps.
//
// The first loop of a run that resumes must be the loop of the checkpoint: of the same kind (Steps
// or Rounds), in the same source file, as many lines after Resume, and with the same end; only
// Steps may have another end. Another loop is an error, and so is a later one like the first.
func (n *Node) Steps(end int) iter.Seq[int] {
	loop := n.newLoop("Steps", end)
	return func(yield func(int) bool) {
		n.goThrough(loop, 1, func(lo, _ int) bool { return yield(lo) })
	}
}

// mostRounds is the number of rounds into which Rounds divides items.
const mostRounds = 16

// Rounds is Steps for a program of one step: it divides items, which all ranks compute together,
// into rounds of the items from lo to hi-1. With Config.Checkpoints there are some 16 rounds.
// Without it there is one, from 0 to items. With another number of ranks there must be as many
// items, or a run resumes on as many ranks only.
//
//	for lo, hi := range n.Rounds(items) {
//		compute(lo, hi) // of which this rank does its part
//	}
func (n *Node) Rounds(items int) iter.Seq2[int, int] {
	loop := n.newLoop("Rounds", items)
	return func(yield func(int, int) bool) {
		each := items
		if n.saving.to != nil && !n.saving.looped {
			each = (items + mostRounds - 1) / mostRounds
		}
		n.goThrough(loop, each, yield)
	}
}

// newLoop describes a loop that the program calls. Its iterator cannot: the compiler may have made
// it a part of the program.
func (n *Node) newLoop(kind string, end int) SavedLoop {
	loop := SavedLoop{Kind: kind, End: end}
	if n.saving.to != nil && (!n.saving.looped || n.saving.over) {
		loop.Place = n.where()
	}
	return loop
}

// where says in which file the program makes a call, and where in it. What is edited above both
// Resume and a loop changes nothing.
func (n *Node) where() string {
	file, line, _ := strings.Cut(path.Base(source.Here()), ":")
	at, err := strconv.Atoi(line)
	if from, begun, _ := strings.Cut(n.saving.resumeAt, ":"); from == file && err == nil {
		before, _ := strconv.Atoi(begun) // a line, as in file
		return fmt.Sprintf("%s, %d lines after Resume", file, at-before)
	}
	return file + ", line " + line
}

// goThrough calls body for each steps at a time, until it returns false.
func (n *Node) goThrough(loop SavedLoop, each int, body func(lo, hi int) bool) {
	at, end, first := new(int), loop.End, !n.saving.looped
	if n.saving.to != nil && (first || n.saving.over) {
		n.name(loop)
	}
	if first {
		at, n.saving.looped = &n.saving.steps, true
		defer func() { n.saving.over = true }()
		n.stepped(*at, end)
	}
	reports := !n.saving.inSteps
	if reports && *at+each < end { // a loop of one step leaves it to what is in it
		n.saving.inSteps = true
		defer func() { n.saving.inSteps = false }()
		n.monitor.DefaultProgress(int64(*at), int64(end))
	}
	for *at < end && n.Err() == nil {
		next := min(*at+each, end)
		if !body(*at, next) {
			*at = end // what a resumed run would do again is done
			return
		}
		*at = next
		if reports {
			n.monitor.DefaultProgress(int64(next), int64(end))
		}
		if first {
			n.stepped(next, end)
		}
		if first && next < end {
			_ = n.Checkpoint() // an error sticks
		}
	}
}

// stepped tells the observers how many steps of the first loop are made.
func (n *Node) stepped(steps, end int) {
	if n.events.wanted(eventStepped) {
		_ = n.events.tellAll(event{kind: eventStepped, number: uint64(steps), end: uint64(end)})
	}
}

// name names a loop that begins, the first one or one after it. It reports an error if a checkpoint
// counts the steps of another loop, or if a later run could take this one for the first.
func (n *Node) name(loop SavedLoop) {
	switch {
	case n.saving.over && loop.is(n.saving.loop):
		_ = n.errorf("%s: a run that resumes could not tell %v from %v, which has made checkpoints: write one of them as a for loop without %s", loop.Kind, loop, n.saving.loop, loop.Kind)
	case n.saving.over:
	case n.saving.loop != (SavedLoop{}) && !loop.is(n.saving.loop):
		_ = n.errorf("%s: the checkpoint counts steps of %v, and the first loop of this run is %v: resume with the same program and input, and write loops that are not done again, as in a fill, without Steps and Rounds; if lines between Resume and the loop were edited, make them as many as before", loop.Kind, n.saving.loop, loop)
	case n.saving.steps > max(loop.End, 0):
		_ = n.errorf("%s: the run resumes after %d steps, and the loop has %d: give it as many as the run that was saved had", loop.Kind, n.saving.steps, loop.End)
	default:
		n.saving.loop = loop
	}
}

// is reports whether l may be the loop m of an earlier run, perhaps with another number of steps.
func (l SavedLoop) is(m SavedLoop) bool {
	return l.Kind == m.Kind && l.Place == m.Place && (l.End == m.End || l.Kind == "Steps")
}

// String returns a text such as "Steps(100) in sor.go, 22 lines after Resume".
func (l SavedLoop) String() string { return fmt.Sprintf("%s(%d) in %s", l.Kind, l.End, l.Place) }

// Begun returns the step at which this run has begun: how many steps of Steps, or items of Rounds,
// the runs before it have made from which it has resumed; otherwise 0.
func (n *Node) Begun() int { return n.saving.begun }

// encodeState returns the number of steps made, or, if there are pointers of Resume, a list of it
// and what they point to.
func (n *Node) encodeState() (json.RawMessage, error) {
	var all any = n.saving.steps
	if len(n.saving.state) > 0 {
		all = append([]any{n.saving.steps}, n.saving.state...)
	}
	encoded, err := json.Marshal(all)
	if err != nil {
		err = fmt.Errorf("what the pointers of Resume point to cannot be saved: %w: JSON has no NaN and no infinities: keep such numbers by KeepCopy", err)
	}
	return encoded, err
}

func (n *Node) decodeState(encoded json.RawMessage) error {
	if len(n.saving.state) == 0 {
		encoded = append(append(json.RawMessage("["), encoded...), ']')
	}
	var values []json.RawMessage
	if err := json.Unmarshal(encoded, &values); err != nil || len(values) != 1+len(n.saving.state) {
		return fmt.Errorf("the checkpoint has the state %.100s: want the number of steps and %d values: it is of another version of the program", encoded, len(n.saving.state))
	}
	for i, to := range append([]any{&n.saving.steps}, n.saving.state...) {
		reflect.ValueOf(to).Elem().SetZero() // or maps would keep what they have
		if err := json.Unmarshal(values[i], to); err != nil {
			return fmt.Errorf("value %d of the state %.100s: %w: it is of another version of the program", i, encoded, err)
		}
	}
	n.saving.begun = n.saving.steps
	return nil
}
