package replay

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Rank is a rank of a recorded run.
type Rank struct {
	recording.About
	Dir string

	own     *recording.Reader
	others  []*recording.Reader    // by rank, read to their ends; the rank's own file, too
	places  map[syncvar.ID][]place // of the variables that the rank gets, by version
	words   [][]uint64             // by rank: its words in Reduces
	folds   [][]uint64             // the results of Folds
	folding bool                   // Node.Folds is true
	cut     string                 // why a record ends early; "" if none does
	engine  *Engine                // nil before Engine
}

// place says where a version of a variable is. A version that has changed nothing has offset 0.
type place struct {
	version syncvar.Version
	offset  int64
	rank    int32
}

// Open opens the record of a rank. It fails if the record cannot be replayed.
func Open(dir string, rank int) (*Rank, error) {
	run, err := recording.Open(dir)
	if err != nil {
		return nil, err
	}
	switch {
	case rank < 0 || rank >= run.Nodes:
		return nil, fmt.Errorf("%s has the ranks 0 to %d, and no rank %d", dir, run.Nodes-1, rank)
	case !run.Values:
		return nil, fmt.Errorf("%s has no values: record the run with --record-values (Recording.Values)", dir)
	}
	r := &Rank{Dir: dir, places: make(map[syncvar.ID][]place), words: make([][]uint64, run.Nodes)}
	if err := r.open(run, rank); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *Rank) open(run *recording.Run, rank int) (err error) {
	if err := r.wanted(run, rank); err != nil {
		return err
	}
	for other := range run.Nodes {
		in, err := run.Rank(other)
		if err != nil {
			return err
		}
		r.others = append(r.others, in)
		if err := r.scan(in, other); err != nil {
			return err
		}
		in.Release()
	}
	for _, all := range r.places {
		slices.SortStableFunc(all, func(a, b place) int {
			return cmp.Or(cmp.Compare(a.version, b.version), cmp.Compare(a.offset, b.offset))
		})
	}
	if r.own, err = run.Rank(rank); err == nil {
		r.About = r.own.About
	}
	return err
}

// wanted finds the variables that a rank gets.
func (r *Rank) wanted(run *recording.Run, rank int) error {
	in, err := run.Rank(rank)
	if err != nil {
		return err
	}
	defer in.Close()
	calls := 0
	for {
		e, err := in.Next()
		switch {
		case errors.Is(err, io.EOF) && calls == 0:
			return fmt.Errorf("%s: the record of rank %d has no call: %s", run.Dir, rank, cmp.Or(in.Cut(), "it is empty"))
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		switch e := e.(type) {
		case *recording.Tenure:
			calls++
			r.want(e.Shared)
			r.want(e.Exclusive)
		case *recording.Meeting:
			calls++
			r.want(e.Arrived)
		}
	}
}

func (r *Rank) want(all []recording.Held) {
	for _, h := range all {
		if _, known := r.places[h.ID]; !known {
			r.places[h.ID] = nil
		}
	}
}

// scan reads the file of a rank to its end, and keeps where it has what.
func (r *Rank) scan(in *recording.Reader, rank int) error {
	var last *recording.Tenure // whose writes may follow
	for {
		e, err := in.Next()
		if errors.Is(err, io.EOF) {
			if why := in.Cut(); why != "" {
				r.cut = cmp.Or(r.cut, fmt.Sprintf("the record of rank %d is not complete: %s", rank, why))
				r.forget(last)
			}
			return nil
		}
		if err != nil {
			return err
		}
		if _, ok := e.(*recording.Writes); !ok {
			last, _ = e.(*recording.Tenure)
		}
		switch e := e.(type) {
		case *recording.Tenure:
			for _, h := range e.Exclusive {
				if all, wanted := r.places[h.ID]; wanted && !e.Open {
					r.places[h.ID] = append(all, place{h.Version, 0, int32(rank)})
				}
			}
		case *recording.Writes:
			if all, wanted := r.places[e.ID]; wanted {
				r.places[e.ID] = append(all, place{e.Version, in.Offset(), int32(rank)})
			}
		case *recording.Inputs:
			r.inputs(e, rank)
		case *recording.Mark:
			r.folding = r.folding || e.Kind == recording.Folding
		}
	}
}

// forget forgets what a tenure has written, because its record may lack some of that.
func (r *Rank) forget(t *recording.Tenure) {
	if t == nil {
		return
	}
	for _, h := range t.Exclusive {
		if all, wanted := r.places[h.ID]; wanted {
			r.places[h.ID] = slices.DeleteFunc(all, func(p place) bool { return p.version == h.Version })
		}
	}
}

func (r *Rank) inputs(e *recording.Inputs, rank int) {
	for _, in := range e.All {
		switch in.Kind {
		case recording.Word:
			r.words[rank] = append(r.words[rank], in.Number)
		case recording.Folded:
			words := make([]uint64, len(in.Bytes)/8)
			for i := range words {
				words[i] = binary.NativeEndian.Uint64(in.Bytes[8*i:])
			}
			r.folds = append(r.folds, words)
		}
	}
}

func (r *Rank) close() {
	for _, in := range r.others {
		in.Close()
	}
	if r.own != nil {
		r.own.Close()
	}
}
