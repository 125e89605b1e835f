package fagus

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/internal/source"
	"github.com/fagus-dsm/fagus/fagus/locks"
	"github.com/fagus-dsm/fagus/syncvar"
)

// declarations holds what the ranks of this process have declared, and where, and where calls have
// failed, so that an error can name lines.
type declarations struct {
	mu    sync.Mutex
	first []declaration                // of the rank that was first to make so many
	ranks map[dimmnet.Rank]*divergence // of the others, as far as they differ
	calls map[dimmnet.Rank]string      // lines of calls that have failed
	held  error                        // of a rank that waited for one that failed

	common map[any]any // of Common

	catalogue *consistency.Catalogue // shared by all ranks of a simulation; else nil
}

// newDeclarations returns the declarations of ranks that have made none. In a simulation only one
// rank runs at a time, so the ranks can share what they declare.
func newDeclarations(simulated bool) *declarations {
	ds := &declarations{ranks: make(map[dimmnet.Rank]*divergence), calls: make(map[dimmnet.Rank]string), common: make(map[any]any)}
	if simulated {
		ds.catalogue = consistency.NewCatalogue()
	}
	return ds
}

func (ds *declarations) newSpace() *consistency.Space {
	if ds.catalogue != nil {
		return ds.catalogue.NewSpace()
	}
	return consistency.NewSpace()
}

type declaration struct {
	what   string
	digest uint64     // of this one and all before
	stack  [8]uintptr // of the NewArray or Bind call, innermost frame first
}

// divergence is what a rank has declared: what the first ranks have, up to a declaration.
type divergence struct {
	same int // so many are those of declarations.first
	rest []declaration
}

// of returns the declarations of a rank.
func (ds *declarations) of(rank dimmnet.Rank) []declaration {
	d := ds.ranks[rank]
	if d == nil {
		return nil
	}
	return slices.Concat(ds.first[:d.same], d.rest)
}

// declare calls f, which adds an array or a variable to the space, and records the caller's line.
func (n *Node) declare(f func() error) error {
	if err := n.engine.Declare(f); err != nil {
		return err
	}
	ds, count := n.declared, n.space.Declared()
	ds.mu.Lock()
	defer ds.mu.Unlock()
	own := ds.ranks[dimmnet.Rank(n.rank)]
	if own == nil {
		own = new(divergence)
		ds.ranks[dimmnet.Rank(n.rank)] = own
	}
	digest := n.space.Digest(count) // covers those before, too
	if count <= len(ds.first) && ds.first[count-1].digest == digest {
		own.same = count
		return nil
	}
	d := declaration{what: n.space.Declaration(count - 1), digest: digest}
	runtime.Callers(3, d.stack[:])
	if own.same == len(ds.first) && len(own.rest) == 0 {
		ds.first = append(ds.first, d)
		own.same++
		return nil
	}
	own.rest = append(own.rest, d)
	return nil
}

// locate returns an error about different declarations that says which one differs, if both ranks
// are in this process. It returns other errors as they are.
func (ds *declarations) locate(err error) error {
	var d *consistency.Difference
	if !errors.As(err, &d) {
		return err
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	own, other := ds.of(d.Own), ds.of(d.Other)
	if len(other) == 0 {
		return err
	}
	at := func(list []declaration, i int) string {
		if i >= len(list) {
			return "missing"
		}
		stack := list[i].stack[:]
		return fmt.Sprintf("%s (%s)", list[i].what, source.Line(source.Frames(stack)))
	}
	for i := range max(len(own), len(other)) {
		if i >= len(own) || i >= len(other) || own[i].digest != other[i].digest {
			where := fmt.Sprintf("declaration %d is %s on rank %d, and %s on rank %d", i+1, at(own, i), d.Own, at(other, i), d.Other)
			return &consistency.Difference{Own: d.Own, Other: d.Other, What: d.What, Where: where}
		}
	}
	return err
}

// failed records where a call of a rank has failed.
func (ds *declarations) failed(rank dimmnet.Rank, line string) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if _, found := ds.calls[rank]; !found {
		ds.calls[rank] = line
	}
}

// waited records the error of a rank, if it tells which variable the rank that has failed the run
// held.
func (ds *declarations) waited(err error) {
	if h := (*locks.Held)(nil); errors.As(err, &h) && h.Lost() {
		ds.mu.Lock()
		defer ds.mu.Unlock()
		ds.held = err
	}
}

func (ds *declarations) waiting() error {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	return ds.held
}

// explain returns err, the error of a run, with the variable that the failed rank held, or with the
// lines of calls or declarations that differ.
func (ds *declarations) explain(err error) error {
	if failed := (*dimmnet.Failed)(nil); errors.As(err, &failed) && ds.waiting() != nil {
		return ds.waiting()
	}
	if named := (*rankError)(nil); !errors.As(err, &named) { // of a helper thread
		if found := ds.locate(err); found != err {
			err = fmt.Errorf("fagus: %w", found)
		}
	}
	var m *syncvar.Mismatch
	if !errors.As(err, &m) {
		return err
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	lines := ""
	for _, rank := range [...]dimmnet.Rank{m.First, m.Second} {
		if line := ds.calls[rank]; line != "" {
			lines += fmt.Sprintf("; rank %d was at %s", rank, line)
		}
	}
	return fmt.Errorf("%w%s", err, lines)
}
