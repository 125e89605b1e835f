package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/internal/source"
	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/phase"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Engine answers the calls of a rank from the record. Only the goroutine of the rank uses it.
type Engine struct {
	*Rank
	space    *consistency.Space
	observer syncvar.Observer
	now      dimmnet.Time

	have    map[syncvar.ID]syncvar.Version // of the rank's copies
	version map[syncvar.ID]syncvar.Version // of the variables that the rank holds, or held last
	tenure  *recording.Tenure              // the present one; nil if there is none
	reduces int                            // how many there were
	summed  int                            // Folds
	all     []uint64                       // of Words
	steps   uint64

	next   recording.Entry   // that peek has read; nil: none
	inputs []recording.Input // that are to come before it
	failed string            // the error with which the recorded run failed
	over   bool              // the file has ended
	lacks  string            // what the record of another rank lacks; "" if nothing

	result  Result
	ended   bool
	err     error // of all later calls
	differs *Difference
	moved   string
	lines   map[uint64]string // of the program, by source.Key

	writes  recording.Writes // reused, as are the following
	buffer  []byte
	arrived []consistency.Range
}

// Engine returns the engine of the rank, whose arrays and variables are in space.
func (r *Rank) Engine(space *consistency.Space, observer syncvar.Observer) *Engine {
	r.engine = &Engine{Rank: r, space: space, observer: observer, lines: make(map[uint64]string),
		have: make(map[syncvar.ID]syncvar.Version), version: make(map[syncvar.ID]syncvar.Version)}
	return r.engine
}

// errEnded is the error of a call at the end of the record.
var errEnded = errors.New("the record ends here")

// peek returns the next Tenure, Meeting or Writes of the rank; nil at the end of its record.
func (e *Engine) peek() recording.Entry {
	for e.next == nil && !e.over {
		next, err := e.own.Next()
		if err != nil {
			if e.over = true; !errors.Is(err, io.EOF) {
				e.failed = "" // what follows is unknown
			}
			break
		}
		switch next := next.(type) {
		case *recording.Tenure, *recording.Meeting:
			e.next = next
		case *recording.Writes:
			if e.tenure == nil { // no recorder does that
				e.over, e.failed = true, ""
				break
			}
			e.next = next
		case *recording.Inputs:
			for _, in := range next.All {
				if in.Kind != recording.Folded {
					in.Bytes = bytes.Clone(in.Bytes)
					e.inputs = append(e.inputs, in)
				}
			}
		case *recording.Mark:
			if next.Kind == recording.Failed {
				e.failed = next.Text
			}
		}
	}
	return e.next
}

// begin begins a call, for which the record has next. It returns the line of the program.
func (e *Engine) begin() (next recording.Entry, line string, err error) {
	e.observer.Entered()
	if e.err != nil {
		return nil, "", e.err
	}
	return e.peek(), e.here(), nil
}

// here returns the line of the program's call.
func (e *Engine) here() string {
	key := source.Key()
	line, known := e.lines[key]
	if !known {
		line = source.Here()
		e.lines[key] = line
	}
	return line
}

// lack ends the replay because another record lacks what the rank needs next.
func (e *Engine) lack(what string) error {
	e.lacks = fmt.Sprintf("it lacks %s: %s", what, e.cut)
	e.err = fmt.Errorf("%w: %s", errEnded, e.lacks)
	e.failed, e.over, e.next = "", true, nil
	return e.err
}

// cutText says why there are no more entries.
func (e *Engine) cutText() string {
	if e.lacks != "" {
		return e.lacks
	}
	if why := e.own.Cut(); why != "" {
		return fmt.Sprintf("the record of rank %d is not complete: %s", e.About.Rank, why)
	}
	return "the record has no more calls"
}

// other returns the error of a call that is not the recorded one, next.
func (e *Engine) other(line, call string, next recording.Entry) error {
	switch {
	case next == nil && e.failed != "":
		e.err = fmt.Errorf("%w: here the recorded run failed: %s", errEnded, e.failed)
		return e.err
	case next == nil:
		e.err = fmt.Errorf("%w: %s", errEnded, e.cutText())
		return e.err
	}
	return e.diverge(line, fmt.Sprintf("the program calls %s; the recorded run called %s", call, e.describe(next)))
}

// diverge ends the replay because of a difference.
func (e *Engine) diverge(line, text string) error {
	d := &Difference{Call: e.result.Calls + 1, Line: line, Text: text}
	if e.err = d; e.differs == nil {
		e.differs = d
	}
	return e.err
}

// differ keeps a difference if it is the first one.
func (e *Engine) differ(d Difference) {
	if e.differs == nil {
		d.Call = e.result.Calls
		e.differs = &d
	}
}

// passed ends a call that was the recorded one, at a line.
func (e *Engine) passed(call rollcall.Call, line string, recorded int) {
	e.result.Calls++
	if want := e.own.Line(recorded); e.moved == "" && want != "" && want != source.Unknown && want != line {
		e.moved = fmt.Sprintf("call %d, %v, is at %s, and was at %s", e.result.Calls, call, line, want)
	}
}

// step emits the phases up to the number of steps that the recorded rank had made.
func (e *Engine) step(to uint64) {
	if e.observer.Wants(syncvar.Agreed) {
		for ; e.steps < to; e.steps++ {
			e.observer.On(syncvar.Event{Kind: syncvar.Agreed})
		}
	}
	e.steps = max(e.steps, to)
}

// Acquire brings variables to the versions that the recorded tenure saw.
func (e *Engine) Acquire(shared, exclusive []syncvar.ID) (latest syncvar.Latest, err error) {
	next, line, err := e.begin()
	if err != nil {
		return latest, err
	}
	t, ok := next.(*recording.Tenure)
	if !ok || !slices.Equal(ids(t.Shared), shared) || !slices.Equal(ids(t.Exclusive), exclusive) {
		return latest, e.other(line, "Acquire of "+e.sets(shared, exclusive), next)
	}
	e.next, e.tenure = nil, t
	e.step(t.Step)
	for _, h := range t.Shared {
		if err := e.bring(h.ID, h.Version); err != nil {
			return latest, err
		}
		e.version[h.ID] = h.Version
	}
	for _, h := range t.Exclusive {
		if err := e.bring(h.ID, h.Version-1); err != nil { // h.Version is the one that it makes
			return latest, err
		}
		e.version[h.ID] = h.Version
	}
	e.now = t.From
	e.passed(rollcall.Acquire, line, t.Acquired)
	return latest, nil
}

// Release compares what the rank has written with what it wrote.
func (e *Engine) Release(_, _, written []syncvar.ID) error {
	if e.err != nil {
		return e.err
	}
	line, t := e.here(), e.tenure
	if t.Open {
		return e.other(line, "Release", nil)
	}
	recorded := make(map[syncvar.ID][]consistency.Range)
	for {
		w, ok := e.peek().(*recording.Writes)
		if !ok {
			break
		}
		e.next = nil
		for _, p := range w.Pieces {
			e.compare(w.ID, p, line)
			all := recorded[w.ID]
			if n := len(all); n > 0 && all[n-1].Hi == p.Range.Lo {
				all[n-1].Hi = p.Range.Hi
			} else {
				recorded[w.ID] = append(all, p.Range)
			}
		}
	}
	if e.next == nil && e.failed == "" && e.own.Cut() != "" {
		return e.other(line, "Release", nil) // it may have written more
	}
	for _, id := range written {
		e.more(id, recorded[id], line)
	}
	for _, h := range t.Exclusive {
		e.have[h.ID] = h.Version
	}
	e.tenure, e.now = nil, t.To
	e.passed(rollcall.Release, line, t.Released)
	return nil
}

// Meet returns as the recorded call did.
func (e *Engine) Meet(call syncvar.Call, _ uint64) (latest syncvar.Latest, err error) {
	of := map[syncvar.Call]rollcall.Call{syncvar.Update: rollcall.Update, syncvar.Barrier: rollcall.Barrier, syncvar.Reduce: rollcall.Reduce, syncvar.End: rollcall.End}[call]
	return latest, e.meet(of)
}

// Fence returns as the recorded one did.
func (e *Engine) Fence() (latest syncvar.Latest, err error) { return latest, e.meet(rollcall.Fence) }

func (e *Engine) meet(call rollcall.Call) error {
	next, line, err := e.begin()
	if err != nil {
		return err
	}
	m, ok := next.(*recording.Meeting)
	if !ok || m.Call != call {
		return e.other(line, call.String(), next)
	}
	for _, in := range e.inputs {
		if in.Kind != recording.Now { // an edited program may ask for the time less often
			return e.diverge(line, fmt.Sprintf("the recorded run has used %v before %v, and the program has not", in.Kind, call))
		}
	}
	e.next, e.inputs = nil, e.inputs[:0]
	e.step(m.Step)
	if call == rollcall.Update {
		for _, h := range m.Arrived {
			if err := e.bring(h.ID, h.Version); err != nil {
				return err
			}
		}
	}
	if call == rollcall.Reduce && !e.folding {
		if err := e.gather(); err != nil {
			return err
		}
	}
	e.now, e.ended = m.To, call == rollcall.End
	if call == rollcall.End {
		e.result.Calls++
	} else {
		e.passed(call, line, m.Line)
	}
	return nil
}

// gather finds the words of all ranks in a Reduce.
func (e *Engine) gather() error {
	e.all = e.all[:0]
	for rank, words := range e.words {
		if e.reduces >= len(words) {
			return e.lack(fmt.Sprintf("the word of rank %d in Reduce %d", rank, e.reduces+1))
		}
		e.all = append(e.all, words[e.reduces])
	}
	e.reduces++
	return nil
}

// Words returns the words of all ranks in the last Reduce.
func (e *Engine) Words() []uint64 { return e.all }

// Folds reports whether the recorded run had Folds.
func (e *Engine) Folds() bool { return e.folding }

// Latest returns nothing.
func (e *Engine) Latest() (latest syncvar.Latest) { return latest }

// Reduce returns the result of a Fold.
func (e *Engine) Reduce(vector []uint64, _ phase.Fold) ([]uint64, error) {
	if err := e.meet(rollcall.Reduce); err != nil {
		return nil, err
	}
	if e.summed >= len(e.folds) {
		return nil, e.lack(fmt.Sprintf("the result of Fold %d", e.summed+1))
	}
	result := e.folds[e.summed]
	if e.summed++; len(result) != len(vector) {
		return nil, e.diverge(e.here(), fmt.Sprintf("the program gives %d words to a Fold; recorded are %d", len(vector), len(result)))
	}
	return result, nil
}

// Declare runs f: there is no other thread.
func (e *Engine) Declare(f func() error) error { return f() }

// Version returns the version of a variable that the rank holds, or held last.
func (e *Engine) Version(id syncvar.ID) syncvar.Version { return e.version[id] }

// Owns returns false: who asks has the answer from the record.
func (e *Engine) Owns(syncvar.ID) bool { return false }

// Counters returns none.
func (e *Engine) Counters() (c dimmnet.Counters) { return c }

// LastWait returns none.
func (e *Engine) LastWait() (w syncvar.Wait) { return w }

// Close does nothing.
func (e *Engine) Close() {}

func ids(all []recording.Held) []syncvar.ID {
	out := make([]syncvar.ID, len(all))
	for i, h := range all {
		out[i] = h.ID
	}
	return out
}

// sets names variables, at most a few.
func (e *Engine) sets(shared, exclusive []syncvar.ID) string {
	const most = 4
	var names []string
	for i, id := range slices.Concat(shared, exclusive) {
		access := syncvar.Shared
		if i >= len(shared) {
			access = syncvar.Exclusive
		}
		names = append(names, fmt.Sprintf("%q (%v)", e.space.Name(id), access))
	}
	if len(names) == 0 {
		return "an empty set"
	}
	text := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
