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
	mu       sync.Mutex
	first    []declaration                  // of the rank that was first to make so many
	ranks    map[dimmnet.Rank]*divergence   // of the others, as far as they differ
	calls    map[dimmnet.Rank]string        // lines of calls that have failed
	apart    map[dimmnet.Rank][]declaration // of ranks in other processes, if two ranks disagree
	intended map[dimmnet.Rank]declaration   // the array that a rank is about to make, or has made
	returns  string                         // the line at which the program begins
	held     error                          // of a rank that waited for one that failed

	common map[any]any // of Common

	catalogue *consistency.Catalogue // shared by all ranks of a simulation; else nil
}

// newDeclarations returns the declarations of ranks that have made none. In a simulation only one
// rank runs at a time, so the ranks can share what they declare.
func newDeclarations(simulated bool, program any) *declarations {
	ds := &declarations{ranks: make(map[dimmnet.Rank]*divergence), calls: make(map[dimmnet.Rank]string), apart: make(map[dimmnet.Rank][]declaration), intended: make(map[dimmnet.Rank]declaration), common: make(map[any]any)}
	ds.returns = source.Function(program)
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
	at     string     // its line, if the rank is in another process
}

// line returns the line of the declaration.
func (d *declaration) line() string {
	if d.at != "" {
		return d.at
	}
	return source.Line(source.Frames(d.stack[:]))
}

// divergence is what a rank has declared: what the first ranks have, up to a declaration.
type divergence struct {
	same int // so many are in declarations.first
	rest []declaration
}

// of returns the declarations of a rank.
func (ds *declarations) of(rank dimmnet.Rank) []declaration {
	if all := ds.apart[rank]; all != nil {
		return all
	}
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

// intend records that a rank of this process is about to declare what, if ranks share the memory of
// arrays: then all must want as much.
func (ds *declarations) intend(n *Node, what string) {
	if !n.views && !n.space.IsOneCopy() {
		return
	}
	d := declaration{what: what}
	runtime.Callers(3, d.stack[:])
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.intended[dimmnet.Rank(n.rank)] = d
}

// unequal returns err, the error of mapping an array. If another rank wants an array of another
// size, it names both.
func (ds *declarations) unequal(n *Node, err error) error {
	var u *dimmnet.UnequalShares
	if !errors.As(err, &u) {
		return err
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	i := n.space.Declared()
	d := &consistency.Difference{Own: u.Own, Other: u.Other, Found: true,
		What: fmt.Sprintf("ranks %d and %d declare different things", min(u.Own, u.Other), max(u.Own, u.Other))}
	text := func(rank dimmnet.Rank) string {
		at := ds.intended[rank]
		if all := ds.of(rank); i < len(all) {
			at = all[i]
		}
		return fmt.Sprintf("%s (%s) on rank %d", at.what, at.line(), rank)
	}
	d.Where = fmt.Sprintf("declaration %d is %s, and %s", i+1, text(min(u.Own, u.Other)), text(max(u.Own, u.Other)))
	return d
}

// locate returns an error about different declarations that says which one differs, as far as the
// declarations of both ranks are known. It returns other errors as they are.
func (ds *declarations) locate(err error) error {
	var d *consistency.Difference
	if !errors.As(err, &d) || d.Found {
		return err
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	first, second := min(d.Own, d.Other), max(d.Own, d.Other)
	own, other := ds.of(first), ds.of(second)
	if !ds.known(first) || !ds.known(second) {
		return err
	}
	at := func(rank dimmnet.Rank, list []declaration, i int) string {
		if i < len(list) {
			return fmt.Sprintf("%s (%s) on rank %d", list[i].what, list[i].line(), rank)
		}
		return fmt.Sprintf("missing on rank %d%s", rank, ds.calls[rank])
	}
	for i := range max(len(own), len(other)) {
		if i >= len(own) || i >= len(other) || own[i].digest != other[i].digest {
			where := fmt.Sprintf("declaration %d is %s, and %s", i+1, at(first, own, i), at(second, other, i))
			return &consistency.Difference{Own: d.Own, Other: d.Other, What: d.What, Where: where, Found: true}
		}
	}
	return err
}

// known reports whether the declarations of a rank are known. mu is held.
func (ds *declarations) known(rank dimmnet.Rank) bool {
	return ds.ranks[rank] != nil || ds.apart[rank] != nil || ds.calls[rank] != ""
}

// failed records where a call of a rank has failed. An empty line means that its program has
// returned.
func (ds *declarations) failed(rank dimmnet.Rank, line string) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if _, found := ds.calls[rank]; !found {
		ds.calls[rank] = ds.whereabouts(line)
	}
}

// whereabouts returns a line as errors show it. An empty line means that the program has returned.
func (ds *declarations) whereabouts(line string) string {
	if line != "" {
		return " at " + line
	}
	return " from the function at " + ds.returns
}

// noted returns the line of the failed call of a rank of this process, if a call has failed, and
// what the rank has declared.
func (ds *declarations) noted(rank dimmnet.Rank) (line string, declared []declaredNote) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	for _, d := range ds.of(rank) {
		declared = append(declared, declaredNote{d.what, d.line(), d.digest})
	}
	return ds.calls[rank], declared
}

// other records the note of a rank in another process.
func (ds *declarations) other(rank dimmnet.Rank, n *note) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	switch {
	case n.Line != "":
		ds.calls[rank] = n.Line
	case n.Entry.Returned:
		ds.calls[rank] = ds.whereabouts("")
	case n.Entry.Line != "":
		ds.calls[rank] = ds.whereabouts(n.Entry.Line)
	}
	all := make([]declaration, 0, len(n.Declared))
	for _, d := range n.Declared {
		all = append(all, declaration{what: d.What, digest: d.Digest, at: d.Line})
	}
	ds.apart[rank] = all
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

// disagreement returns what is wrong with the program, if err says that two ranks disagree, without
// the names of the packages that have noticed it. It returns other errors as they are.
func disagreement(err error) error {
	var m *syncvar.Mismatch
	var d *consistency.Difference
	switch {
	case errors.As(err, &m):
		return m
	case errors.As(err, &d):
		return d
	}
	return err
}

// explain returns err, the error of a run, with the variable that the failed rank held, or with the
// lines of calls or declarations that differ.
func (ds *declarations) explain(err error) error {
	if failed := (*dimmnet.Failed)(nil); errors.As(err, &failed) && ds.waiting() != nil {
		return ds.waiting()
	}
	switch wrong := disagreement(ds.locate(err)).(type) {
	case *consistency.Difference:
		return &explained{"fagus: " + wrong.Error(), err}
	case *syncvar.Mismatch:
		ds.mu.Lock()
		defer ds.mu.Unlock()
		return &explained{"fagus: " + wrong.At(ds.calls[wrong.First], ds.calls[wrong.Second]), err}
	}
	return err
}

// explained is the error of a run with another text.
type explained struct {
	text string
	err  error
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.err }
