package travel

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/syncvar"
)

const whySchema = "fagus.why/v1"

// story is the document of fagus why. docs/reference/json.md describes it.
type story struct {
	Schema   string `json:"schema"`
	Element  string `json:"element"`
	Kind     string `json:"kind"`
	Variable string `json:"variable"` // that guards it at the end; empty: none
	At       string `json:"at"`
	// Left is the last tenure of Variable until then, if it has not changed the element: maybe it
	// wrote the same value.
	Left    *write   `json:"left,omitempty"`
	Writes  []*write `json:"writes"`  // newest first
	Earlier int      `json:"earlier"` // writes before those
	Notes   []string `json:"notes"`
}

// author is a tenure of a variable that has written.
type author struct {
	Rank     int     `json:"rank"`
	Step     uint64  `json:"step"`
	Time     float64 `json:"time_ns"`
	Variable string  `json:"variable"`
	Version  uint64  `json:"version"`
	Acquired string  `json:"acquired"` // the line of the Acquire
	Released string  `json:"released"`
	Resume   bool    `json:"resume,omitempty"` // of a checkpoint
}

// write is a write of an element.
type write struct {
	author
	Value string  `json:"value,omitempty"`
	Saw   []*seen `json:"saw"`
	More  int     `json:"saw_more,omitempty"` // versions that Saw leaves out

	id      syncvar.ID
	meeting int // the number of meetings before it
}

// seen is a version that a rank has seen since its write before.
type seen struct {
	Variable string  `json:"variable"`
	Version  uint64  `json:"version"`
	Line     string  `json:"line"`         // of the call that brought it
	By       *author `json:"by,omitempty"` // nil: nobody has written the variable
	// Unordered: By is another rank, and no call in which all ranks meet lies between.
	Unordered bool `json:"unordered,omitempty"`
	// Missed is the next version, if no such call lies between it and what has been seen: by chance
	// the rank has not seen it.
	Missed *author `json:"missed,omitempty"`

	id      syncvar.ID
	last    syncvar.Version // the newest version that may be seen
	when    int             // orders those of a rank
	rank    int             // that has seen it
	meeting int             // the number of meetings before
}

const mostSeen = 12 // of a write

func why(c *cli.Context) error {
	if c.NArg() != 2 {
		return usage.Errorf("want a record and an element, such as rec 'A[17]'; see 'fagus why --help'")
	}
	at, err := parsePoint(c.String("at"))
	if err != nil {
		return err
	}
	last := c.Int("last")
	if last < 1 {
		return usage.Errorf("--last %d: want at least 1", last)
	}
	columns, err := readColumns(c)
	if err != nil {
		return err
	}
	r, err := openRun(c.Context, c.Args().First())
	if err != nil {
		return err
	}
	of, err := r.place(c.Args().Get(1), columns)
	if err != nil {
		return err
	}
	s, err := r.why(c.Context, of, at, last)
	if err != nil {
		return err
	}
	s.Element, s.At = of.index(of.element, columns), c.String("at")
	return base.PrintText(c, s, s.text)
}

// why returns the last writes of an element until a point.
func (r *run) why(ctx context.Context, of place, at point, last int) (*story, error) {
	lo := of.Base + consistency.Addr(of.element*of.Element)
	s := &story{Schema: whySchema, Kind: of.Kind, Writes: []*write{}, Notes: append([]string{}, r.notes...)}
	guard, guarded := r.guard(lo)
	if guarded {
		s.Variable = r.variable(guard)
	}
	var left *write
	all := 0
	for rank := range r.Nodes {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		w := watcher{run: r, rank: rank, of: of, lo: lo, hi: lo + consistency.Addr(of.Element), at: at, guard: guard, guarded: guarded, most: last, seen: make(map[syncvar.ID]*seen)}
		if err := w.read(); err != nil {
			return nil, err
		}
		all += w.all
		if left == nil || w.left != nil && w.left.after(left) {
			left = w.left
		}
		s.Writes = append(s.Writes, w.writes...)
	}
	slices.SortFunc(s.Writes, func(a, b *write) int {
		return cmp.Or(cmp.Compare(b.meeting, a.meeting), cmp.Compare(b.Version, a.Version), cmp.Compare(a.Rank, b.Rank))
	})
	s.Writes = s.Writes[:min(last, len(s.Writes))]
	s.Earlier = all - len(s.Writes)
	resolve := s.Writes
	if left != nil && (len(s.Writes) == 0 || left.after(s.Writes[0])) {
		s.Left, resolve = left, append([]*write{left}, s.Writes...)
	}
	return s, r.findAuthors(resolve)
}

// after reports whether w comes after v.
func (w *write) after(v *write) bool {
	return w.meeting > v.meeting || w.meeting == v.meeting && w.Version > v.Version
}

// watcher finds the writes of an element by one rank.
type watcher struct {
	*run
	rank    int
	of      place
	lo, hi  consistency.Addr
	at      point
	most    int        // of writes
	guard   syncvar.ID // of the element, if guarded
	guarded bool

	in       *recording.Reader
	meetings int
	tenure   *recording.Tenure // the last one; nil if it does not count
	seen     map[syncvar.ID]*seen
	sights   int
	writes   []*write // the last ones, in the order of the file
	all      int
	left     *write // the last tenure of guard, unless it has written the element
}

func (w *watcher) read() (err error) {
	if w.in, err = w.Run.Rank(w.rank); err != nil {
		return err
	}
	defer w.in.Close()
	for {
		e, err := w.in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch e := e.(type) {
		case *recording.Meeting:
			w.meetings++
			w.see(e.Arrived, e.Line)
		case *recording.Tenure:
			if !w.at.has(e, w.shift[w.rank]) {
				return nil
			}
			w.tenure = nil
			if !e.Moved {
				w.tenure = e
				w.see(e.Shared, e.Acquired)
				w.see(e.Exclusive, e.Acquired)
				if !e.Open { // or nobody has seen what it wrote
					w.leave()
				}
			}
		case *recording.Writes:
			if w.tenure != nil {
				w.wrote(e)
			}
		}
	}
}

func (w *watcher) see(all []recording.Held, line int) {
	for _, h := range all {
		w.sights++
		w.seen[h.ID] = &seen{Variable: w.variable(h.ID), Version: uint64(h.Version), Line: base.Printable(w.in.Line(line)), id: h.ID, last: h.Version, when: w.sights, rank: w.rank, meeting: w.meetings}
	}
}

// wrote adds the write of a tenure, if it has written the element.
func (w *watcher) wrote(e *recording.Writes) {
	var value []byte
	found := false
	for _, p := range e.Pieces {
		if p.Range.Lo >= w.hi || p.Range.Hi <= w.lo {
			continue
		}
		if found = true; p.Range.Lo <= w.lo && p.Range.Hi >= w.hi && p.Bytes != nil {
			value = p.Bytes[w.lo-p.Range.Lo : w.hi-p.Range.Lo]
		}
	}
	if n := len(w.writes); !found || n > 0 && w.writes[n-1].id == e.ID && w.writes[n-1].Version == uint64(e.Version) {
		return // or the element lies in two pages
	}
	one := w.write(e.ID, e.Version)
	one.Value = w.of.text(value)
	clear(w.seen)
	w.left = nil
	w.all++
	if w.writes = append(w.writes, one); len(w.writes) > w.most {
		w.writes = w.writes[1:]
	}
}

// leave remembers the tenure if it may have written the element.
func (w *watcher) leave() {
	for _, h := range w.tenure.Exclusive {
		if w.guarded && h.ID == w.guard {
			w.left = w.write(h.ID, h.Version)
		}
	}
}

// write describes the tenure, as far as it is about a variable, and what the rank had seen.
func (w *watcher) write(id syncvar.ID, version syncvar.Version) *write {
	one := &write{author: w.author(w.in, w.rank, w.tenure, id, version), id: id, meeting: w.meetings}
	made := make(map[syncvar.ID]bool)
	for _, h := range w.tenure.Exclusive {
		made[h.ID] = true
	}
	one.Saw = slices.SortedFunc(maps.Values(w.seen), func(a, b *seen) int { return cmp.Compare(b.when, a.when) })
	// The writes before have the versions of the variable itself.
	one.Saw = slices.DeleteFunc(one.Saw, func(s *seen) bool { return s.id == id })
	one.More = max(0, len(one.Saw)-mostSeen)
	one.Saw = one.Saw[:len(one.Saw)-one.More]
	for i, s := range one.Saw {
		if made[s.id] {
			before := *s // what the tenure has made is not what it saw
			before.Version--
			before.last--
			one.Saw[i] = &before
		}
	}
	return one
}

func (r *run) author(in *recording.Reader, rank int, t *recording.Tenure, id syncvar.ID, version syncvar.Version) author {
	return author{
		Rank: rank, Step: t.Step, Time: float64(t.To+r.shift[rank]) / float64(dimmnet.Nanosecond), Variable: r.variable(id), Version: uint64(version),
		Acquired: base.Printable(in.Line(t.Acquired)), Released: base.Printable(in.Line(t.Released)), Resume: t.Restored,
	}
}

// findAuthors finds who made the versions that writers saw.
func (r *run) findAuthors(writes []*write) error {
	wanted := make(map[syncvar.ID][]*seen)
	for _, w := range writes {
		for _, s := range w.Saw {
			wanted[s.id] = append(wanted[s.id], s)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	for rank := range r.Nodes {
		in, err := r.Rank(rank)
		if err != nil {
			return err
		}
		err = r.findAuthorsIn(in, rank, wanted)
		in.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *run) findAuthorsIn(in *recording.Reader, rank int, wanted map[syncvar.ID][]*seen) error {
	var tenure *recording.Tenure
	meetings := 0
	for {
		e, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch e := e.(type) {
		case *recording.Meeting:
			meetings++
		case *recording.Tenure:
			tenure = e
		case *recording.Writes:
			for _, s := range wanted[e.ID] {
				if tenure == nil || tenure.Moved {
					continue
				}
				unordered := rank != s.rank && meetings == s.meeting
				by := r.author(in, rank, tenure, e.ID, e.Version)
				switch {
				case e.Version <= s.last && (s.By == nil || by.Version > s.By.Version):
					s.By, s.Unordered = &by, unordered
				case e.Version > s.last && unordered && (s.Missed == nil || by.Version < s.Missed.Version):
					s.Missed = &by
				}
			}
		}
	}
}
