package travel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/elements"
	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
	"github.com/fagus-dsm/fagus/syncvar"
)

// run is the record of a run, read once.
type run struct {
	*recording.Run
	arrays   []array
	bindings map[syncvar.ID]*recording.Binding // the last ones
	meetings []meeting                         // of rank 0
	shift    []dimmnet.Time                    // by rank: added to its times
	notes    []string                          // what the record lacks
	resumed  bool                              // the run has gone on from a checkpoint
}

// array is an array of the program.
type array struct {
	recording.Array
	numbers *elements.Elements // nil if the elements are no numbers
}

// meeting is a call in which all ranks meet.
type meeting struct {
	call rollcall.Call
	line string
	step uint64 // that all ranks have made when they make the call
}

func (m meeting) String() string {
	if m.call == rollcall.End {
		return "the end"
	}
	return fmt.Sprintf("%v (%s)", m.call, base.Printable(m.line))
}

// mostAligned is the number of meetings of each rank from which the clocks are aligned.
const mostAligned = 1 << 16

// Open opens a record that a user has named.
func Open(dir string) (*recording.Run, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, usage.Errorf("%s is a file, and a record (--record) is a directory: for a trace (--trace) use 'fagus report %s'", dir, dir)
	}
	of, err := recording.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage.Wrap(err)
	}
	return of, err
}

func openRun(ctx context.Context, dir string) (*run, error) {
	of, err := Open(dir)
	if err != nil {
		return nil, err
	}
	r := &run{Run: of, bindings: make(map[syncvar.ID]*recording.Binding)}
	clocks := trace.Trace{About: trace.About{Clock: of.Clock}}
	for rank := range of.Nodes {
		clock, err := r.scan(ctx, rank)
		if err != nil {
			return nil, err
		}
		clocks.Ranks = append(clocks.Ranks, clock)
	}
	for _, next := range []string{recording.Sub(dir, 1, 1), recording.Sub(dir, 0, 2)} {
		if recording.Holds(next) {
			r.notes = append(r.notes, fmt.Sprintf("%s has the record of what the job did next", next))
		}
	}
	clocks.Align()
	for _, c := range clocks.Ranks {
		r.shift = append(r.shift, c.Offset)
	}
	return r, nil
}

// scan reads the file of a rank. It returns what aligns its clock.
func (r *run) scan(ctx context.Context, rank int) (clock trace.Rank, err error) {
	in, err := r.Rank(rank)
	if err != nil {
		return clock, err
	}
	defer in.Close()
	clock = trace.Rank{Rank: rank, Begun: in.Begun, Origin: in.Origin}
	for {
		e, err := in.Next()
		switch {
		case err == io.EOF:
			if cut := in.Cut(); cut != "" {
				r.notes = append(r.notes, fmt.Sprintf("the record of rank %d is not complete: %s", rank, cut))
			}
			return clock, ctx.Err()
		case err != nil:
			return clock, err
		}
		switch e := e.(type) {
		case *recording.Array:
			if rank == 0 {
				err = r.add(*e)
			}
		case *recording.Binding:
			if rank == 0 {
				r.bindings[e.ID] = e
			}
		case *recording.Mark:
			r.mark(e, rank)
		case *recording.Meeting:
			if rank == 0 {
				r.meetings = append(r.meetings, meeting{e.Call, in.Line(e.Line), e.Before})
			}
			if len(clock.Events) < mostAligned && r.Clock != dimmnet.Virtual {
				at := trace.Of(trace.Called, e.From, e.To)
				at.Number = e.Step
				clock.Events = append(clock.Events, at)
			}
		}
		if err != nil {
			return clock, err
		}
	}
}

// mark notes what a mark of a rank means for the record.
func (r *run) mark(m *recording.Mark, rank int) {
	switch {
	case m.Kind == recording.Failed:
		r.notes = append(r.notes, fmt.Sprintf("rank %d has failed: %s", rank, base.Printable(m.Text)))
	case m.Kind == recording.Resumed && rank == 0:
		r.resumed = true
		r.notes = append(r.notes, fmt.Sprintf("the run has gone on from checkpoint %d: what was written before is not in the record, and Resume has written it again", m.Number))
	}
}

func (r *run) add(a recording.Array) error {
	last := consistency.Addr(0)
	if n := len(r.arrays); n > 0 {
		last = r.arrays[n-1].Base + consistency.Addr(r.arrays[n-1].Bytes)
	}
	if a.Element < 1 || a.Bytes < a.Element || a.Bytes%a.Element != 0 || a.Base < last || uint64(a.Base)%consistency.PageBytes != 0 || a.Base > consistency.MaxAddr || a.Bytes > consistency.MaxAddr {
		return fmt.Errorf("%s: array %s has %d bytes at %#x, in elements of %d bytes: such a record no run makes", r.Dir, base.Printable(a.Name), a.Bytes, a.Base, a.Element)
	}
	if slices.ContainsFunc(r.arrays, func(of array) bool { return of.Name == a.Name }) {
		return fmt.Errorf("%s: two arrays have the name %s: such a record no run makes", r.Dir, base.Printable(a.Name))
	}
	of := array{Array: a}
	if e, err := elements.Of(a.Kind, a.Element, a.Bytes); err == nil {
		of.numbers = &e
	}
	r.arrays = append(r.arrays, of)
	return nil
}

// array returns the array with a name.
func (r *run) array(name string) (*array, error) {
	var names []string
	for i := range r.arrays {
		if r.arrays[i].Name == name {
			return &r.arrays[i], nil
		}
		names = append(names, base.Printable(r.arrays[i].Name))
	}
	if names == nil {
		return nil, usage.Errorf("%s has no array: the run has bound none", r.Dir)
	}
	return nil, usage.Errorf("%s has no array %q: it has %s", r.Dir, name, base.Short(strings.Join(names, ", "), 200))
}

// variable returns the name of a variable.
func (r *run) variable(id syncvar.ID) string {
	if b := r.bindings[id]; b != nil {
		return base.Printable(b.Name)
	}
	return fmt.Sprintf("variable %d", id)
}

// guard returns the variable that guards an address at the end.
func (r *run) guard(at consistency.Addr) (id syncvar.ID, ok bool) {
	for id, b := range r.bindings {
		for _, of := range b.Ranges {
			if of.Lo <= at && at < of.Hi {
				return id, true
			}
		}
	}
	return 0, false
}

// text returns an element's value; "" if it is unknown.
func (a *array) text(b []byte) string {
	switch {
	case b == nil:
		return ""
	case a.numbers == nil:
		return fmt.Sprintf("%x", b)
	}
	return a.numbers.Values(b)
}

// index returns the text of an element, such as A[17], or A[2,1] in rows of some columns.
func (a *array) index(element, columns int) string {
	if columns > 0 {
		return fmt.Sprintf("%s[%d,%d]", base.Printable(a.Name), element/columns, element%columns)
	}
	return fmt.Sprintf("%s[%d]", base.Printable(a.Name), element)
}

func (a *array) length() int { return a.Bytes / a.Element }
