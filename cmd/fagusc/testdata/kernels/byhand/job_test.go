package byhand

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
)

// job is a computation in three phases: rank 0 distributes the input of the other ranks, all ranks
// compute their parts, and rank 0 collects the output of the other ranks. For every set of ranks,
// one variable guards all elements that exactly these ranks use.
type job struct {
	node      *fagus.Node
	name      string
	sides     []side
	variables []*variable
	err       error // the first error of share
}

// side is a shared array with the slice of rank 0 that it mirrors.
type side interface {
	Range(lo, hi int) fagus.Range
	in(lo, hi int)  // copies from rank 0's slice
	out(lo, hi int) // copies to rank 0's slice
}

// shared implements side. If outer is nil there is no slice of rank 0.
type shared[T any] struct {
	*fagus.Array[T]
	node  *fagus.Node
	outer []T
}

// piece is a range of elements of a side, empty if lo equals hi.
type piece struct {
	of     side
	lo, hi int
}

// variable guards the pieces that exactly the given ranks use.
type variable struct {
	ranks        []int
	all, in, out []piece // guarded; distributed by rank 0; collected by rank 0
	guard        *fagus.SyncVar
}

func newJob(n *fagus.Node, name string) *job { return &job{node: n, name: again(n, name)} }

// again makes a name unique to this call.
func again(n *fagus.Node, name string) string { return fmt.Sprintf("%s (%d)", name, n.Arrays()) }

// share makes a side for a slice. It stores an error in j.err, which hand returns.
func share[T any](j *job, name string, outer []T) *shared[T] {
	s := scratch[T](j, name, len(outer))
	s.outer = outer
	return s
}

// scratch makes a side without a slice of rank 0, initially zero.
func scratch[T any](j *job, name string, length int) *shared[T] {
	s := &shared[T]{node: j.node}
	if j.err == nil {
		s.Array, j.err = fagus.NewArray[T](j.node, j.name+" "+name, max(length, 1))
	}
	j.sides = append(j.sides, s)
	return s
}

func (s *shared[T]) in(lo, hi int)  { copy(s.Slice()[lo:hi], s.outer[lo:hi]) }
func (s *shared[T]) out(lo, hi int) { copy(s.outer[lo:hi], s.Slice()[lo:hi]) }

// part returns a range of elements.
func (s *shared[T]) part(lo, hi int) piece { return piece{s, lo, hi} }

// here returns the memory in which this rank computes: at rank 0 its slice, at other ranks the
// shared array.
func (s *shared[T]) here() []T {
	if s.node.Rank() == 0 {
		return s.outer
	}
	return s.Slice()
}

// uses returns the pieces that a rank other than 0 reads and writes. Ranks write disjoint elements
// that no other rank reads.
type uses func(rank int) (reads, writes []piece)

// hand distributes the pieces that ranks read. Rank 0 calls fill, which is copyIn or specific to
// the kernel, to write the pieces. Meanwhile it also holds the variables in more.
func (j *job) hand(of uses, fill func(), more ...fagus.Request) error {
	if j.err != nil {
		return j.err
	}
	for _, s := range j.sides {
		j.cut(s, of)
	}
	wants := more
	for i, v := range j.variables {
		var err error
		if v.guard, err = j.node.Bind(fmt.Sprintf("%s %d", j.name, i), ranges(v.all)...); err != nil {
			return err
		}
		if len(v.in) > 0 && j.node.Rank() == 0 {
			wants = append(wants, fagus.Want(v.guard, fagus.Exclusive).Writing(ranges(v.in)...))
		}
	}
	if err := during(j.node, func() {
		if j.node.Rank() == 0 {
			fill()
		}
	}, wants...); err != nil {
		return err
	}
	return j.node.Fence()
}

// copyIn copies the pieces that other ranks read from rank 0's slices to the shared arrays.
func (j *job) copyIn() {
	for _, v := range j.variables {
		for _, p := range v.in {
			p.of.in(p.lo, p.hi)
		}
	}
}

// want returns the requests for the pieces that this rank uses: reads, and if write is set, writes.
func (j *job) want(write bool) (wants []fagus.Request) {
	for _, v := range j.variables {
		switch {
		case !slices.Contains(v.ranks, j.node.Rank()):
		case write && len(v.out) > 0:
			wants = append(wants, fagus.Want(v.guard, fagus.Exclusive).Writing(ranges(v.out)...))
		default:
			wants = append(wants, fagus.Want(v.guard, fagus.Shared))
		}
	}
	return wants
}

// compute calls f while this rank holds all pieces that it uses.
func (j *job) compute(f func()) error { return during(j.node, f, j.want(true)...) }

// collect brings the pieces that other ranks have written to rank 0, which calls take for each
// rank, in rank order. If take is nil, rank 0 copies the pieces to its slices.
func (j *job) collect(take func(rank int)) error {
	if err := j.node.Fence(); err != nil {
		return err
	}
	var wants []fagus.Request
	var from []int
	for _, v := range j.variables {
		if j.node.Rank() == 0 && len(v.out) > 0 {
			wants = append(wants, fagus.Want(v.guard, fagus.Shared))
			from = append(from, v.ranks...)
		}
	}
	slices.Sort(from)
	return during(j.node, func() {
		for _, rank := range from {
			if take != nil {
				take(rank)
				continue
			}
			for _, p := range j.variableOf([]int{rank}).out {
				p.of.out(p.lo, p.hi)
			}
		}
	}, wants...)
}

// run executes the three phases.
func (j *job) run(of uses, compute func(), take func(rank int)) error {
	if err := j.hand(of, j.copyIn); err != nil {
		return err
	}
	if err := j.compute(compute); err != nil {
		return err
	}
	return j.collect(take)
}

// cut divides a side wherever the range of some rank begins or ends, and assigns each piece to the
// variable of the ranks that use it.
func (j *job) cut(s side, of uses) {
	type use struct {
		rank, lo, hi int
		writes       bool
	}
	var all []use
	var ends []int
	for rank := 1; rank < j.node.Nodes(); rank++ {
		reads, writes := of(rank)
		for i, p := range slices.Concat(reads, writes) {
			if p.of == s && p.lo < p.hi {
				all = append(all, use{rank, p.lo, p.hi, i >= len(reads)})
				ends = append(ends, p.lo, p.hi)
			}
		}
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	for i := range max(len(ends)-1, 0) {
		p := piece{s, ends[i], ends[i+1]}
		var ranks []int
		var read, written bool
		for _, u := range all {
			if u.lo <= p.lo && p.hi <= u.hi {
				ranks = append(ranks, u.rank)
				written, read = written || u.writes, read || !u.writes
			}
		}
		if len(ranks) > 0 {
			j.variableOf(slices.Compact(ranks)).add(p, read, written)
		}
	}
}

// variableOf returns the variable of a set of ranks.
func (j *job) variableOf(ranks []int) *variable {
	for _, v := range j.variables {
		if slices.Equal(v.ranks, ranks) {
			return v
		}
	}
	v := &variable{ranks: ranks}
	j.variables = append(j.variables, v)
	return v
}

func (v *variable) add(p piece, read, written bool) {
	v.all = append(v.all, p)
	if read {
		v.in = append(v.in, p)
	}
	if written {
		v.out = append(v.out, p)
	}
}

func ranges(pieces []piece) (list []fagus.Range) {
	for _, p := range pieces {
		list = append(list, p.of.Range(p.lo, p.hi))
	}
	return list
}

// during calls f while this rank holds the given variables. It is one phase.
func during(n *fagus.Node, f func(), wants ...fagus.Request) error {
	return n.During(n.Set(wants...), func() error {
		f()
		return nil
	})
}
