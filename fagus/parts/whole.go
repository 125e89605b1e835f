package parts

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// Whole is a vector that all ranks read as a whole. Each rank writes one [Block] of it, again and
// again (an all-gather). All methods but Items are collective, and the rank must hold no variable.
//
//	w.Fill(func(mine []float64) { copy(mine, p) })
//	w.Read(func(all []float64) { multiply(q, all) })
type Whole[T any] struct {
	node   *fagus.Node
	length int
	// Without steps, calls of Fill use the two in turn, so that a rank fills one while another
	// reads the other.
	turns  [2]*Blocks[T]
	fills  int
	steps  *wholeSteps // nil if every rank reads the blocks of all
	copies *fagus.Array[T]
	fill   [2]*fagus.SyncSet
	read   [2]*fagus.SyncSet
	next   [2]*fagus.SyncSet // next[i] reads turn i, and fills the other
	kept   []T               // this rank's block at a checkpoint
}

// NewWhole makes a vector of length elements. It is collective.
func NewWhole[T any](n *fagus.Node, name string, length int) (w *Whole[T], err error) {
	return newWhole[T](n, name, length, InSteps(n))
}

// InSteps reports whether data that all ranks read go in two steps, by way of [Groups]. On 16 nodes
// and more that is faster for blocks of 8 to 4096 bytes (go test ./fagus/parts -run - -bench
// WholeSimulated -benchtime 1x).
func InSteps(n *fagus.Node) bool { return n.Folds() && n.Nodes() >= 16 }

func newWhole[T any](n *fagus.Node, name string, length int, inSteps bool) (w *Whole[T], err error) {
	if length < 1 {
		return nil, fmt.Errorf("parts: vector %q of %d elements: want at least 1", name, length)
	}
	w = &Whole[T]{node: n, length: length}
	for i := range w.turns {
		if i == 1 && inSteps {
			w.turns[1] = w.turns[0]
			break
		}
		if w.turns[i], err = NewBlocks[T](n, fmt.Sprintf("%s/%d", name, i), length, 1); err != nil {
			return nil, err
		}
		w.turns[i].Scratch()
	}
	if inSteps {
		if w.steps, w.copies, err = newWholeSteps(n, name, w.turns[0], nil); err != nil {
			return nil, err
		}
	}
	for i, b := range w.turns {
		reads, fills := b.WantAll(fagus.Shared), w.turns[1-i].WantFill()
		if inSteps {
			reads = w.steps.reads
		}
		w.fill[i], w.read[i] = n.Set(b.WantFill()...), n.Set(reads...)
		w.next[i] = n.Set(append(fills, reads...)...)
	}
	return w, nil
}

// Keep adds the vector to checkpoints. Without it, a run that resumes must fill the vector first.
// It is collective; see [fagus.Keep].
func (w *Whole[T]) Keep() {
	if !w.node.Checkpoints() {
		return
	}
	w.kept = make([]T, len(w.turns[0].Mine()))
	KeepBlock(w.node, w.turns[0].Name()+".kept", &w.kept, w.length, 1)
	var mine [2]*fagus.SyncSet // Fill has ended its tenure
	for i, b := range w.turns {
		mine[i] = w.node.Set(b.WantMine(fagus.Shared)...)
	}
	w.node.OnCheckpoint(func() {
		at := w.fills % 2
		_ = mine[at].Do(func() { copy(w.kept, w.turns[at].Mine()) }) // an error sticks
	})
	w.node.OnResume(func() { _ = w.Fill(func(mine []T) { copy(mine, w.kept) }) }) // an error sticks
}

// Items returns the elements that a rank writes: lo to hi-1.
func (w *Whole[T]) Items(rank int) (lo, hi int) { return w.turns[0].Items(rank) }

// Fill calls f to write all of this rank's block. It takes one phase.
func (w *Whole[T]) Fill(f func(mine []T)) error {
	w.fills++
	at := w.fills % 2
	return w.fill[at].Do(func() { f(w.turns[at].Mine()) })
}

// Read calls f with the vector that all ranks filled last. f must not change it, and copies what
// is needed later. Read follows a call of Fill or Next. It takes one phase, or two with many
// nodes.
func (w *Whole[T]) Read(f func(all []T)) error {
	if err := w.meet(); err != nil {
		return err
	}
	return w.read[w.fills%2].Do(func() { f(w.all()) })
}

// Next is Read and then Fill in one tenure. f gets the vector that all ranks filled last, and
// writes all of this rank's block of the next one. It takes no more phases than Read.
func (w *Whole[T]) Next(f func(all, mine []T)) error {
	if err := w.meet(); err != nil {
		return err
	}
	at := w.fills % 2
	w.fills++
	return w.next[at].Do(func() { f(w.allOf(at), w.turns[1-at].Mine()) })
}

// meet ends the filling of the vector.
func (w *Whole[T]) meet() error {
	if err := w.node.Fence(); err != nil || w.steps == nil {
		return err
	}
	if err := w.steps.forward(); err != nil {
		return err
	}
	return w.node.Fence()
}

func (w *Whole[T]) all() []T { return w.allOf(w.fills % 2) }

func (w *Whole[T]) allOf(turn int) []T {
	if w.steps == nil {
		return w.turns[turn].Part(0, w.length)
	}
	return w.copies.Part(w.steps.column())
}

// wholeSteps is a Whole whose blocks go in two steps. A rank reads the blocks of its group, and
// writes a copy of them for its column. Then it reads the copies of all groups for its column. So
// it gets messages from about as many ranks as the square root of their number, instead of from
// all.
type wholeSteps struct {
	Groups
	node   *fagus.Node
	blocks *blocks
	copies elements             // by column, a vector
	move   func(to, lo, hi int) // copies elements of the blocks to the copies
	used   func(rank int) int   // how many elements of a rank's block are in use; nil: all
	toCopy *fagus.SyncSet
	reads  []fagus.Request // of the vector of this rank's column
}

func newWholeSteps[T any](n *fagus.Node, name string, b *Blocks[T], used func(rank int) int) (s *wholeSteps, copies *fagus.Array[T], err error) {
	groups := GroupsOf(n.Nodes())
	if copies, err = fagus.NewArray[T](n, name+".copies", groups.Columns()*b.Len()); err != nil {
		return nil, nil, err
	}
	s = &wholeSteps{Groups: groups, node: n, blocks: &b.blocks, copies: copies, used: used}
	s.move = func(to, lo, hi int) { copy(copies.Part(to, to+hi-lo), b.Part(lo, hi)) }
	return s, copies, s.bind(name)
}

func (s *wholeSteps) bind(name string) error {
	s.copies.Scratch()
	n, length := s.node, s.blocks.array.Len()
	own, column := s.Of(n.Rank())
	lo, hi := s.Members(own)
	var wants []fagus.Request
	for r := lo; r < hi; r++ {
		wants = append(wants, s.blocks.Want(fagus.Shared, r)...)
	}
	for c := range s.Columns() {
		for group := range s.count {
			lo, hi := s.part(group)
			if lo == hi {
				continue
			}
			v, err := n.Bind(fmt.Sprintf("%s.copy.%d.%d", name, c, group), s.copies.Range(c*length+lo, c*length+hi))
			if err != nil {
				return err
			}
			if s.Server(group, c) == n.Rank() {
				wants = append(wants, v.Write().Reporting())
			}
			if c == column {
				s.reads = append(s.reads, v.Read())
			}
		}
	}
	s.toCopy = n.Set(wants...)
	return nil
}

// part returns the elements of a group: lo to hi-1.
func (s *wholeSteps) part(group int) (lo, hi int) {
	first, end := s.Members(group)
	lo, _ = s.blocks.Items(first)
	_, hi = s.blocks.Items(end - 1)
	return lo * s.blocks.unit, hi * s.blocks.unit
}

// forward copies the blocks of this rank's group for the columns that this rank serves.
func (s *wholeSteps) forward() error {
	return s.node.During(s.toCopy, func() error {
		for _, c := range s.Served(s.node.Rank()) {
			if err := s.copyFor(c); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *wholeSteps) copyFor(column int) error {
	own, _ := s.Of(s.node.Rank())
	begin := column * s.blocks.array.Len()
	put := func(lo, hi int) error {
		s.move(begin+lo, lo, hi)
		return wrote(s.node, s.copies, begin+lo, begin+hi)
	}
	if s.used == nil {
		return put(s.part(own))
	}
	first, end := s.Members(own)
	for r := first; r < end; r++ {
		lo, _ := s.blocks.Items(r)
		lo *= s.blocks.unit
		if err := put(lo, lo+s.used(r)); err != nil {
			return err
		}
	}
	return nil
}

// column returns which elements of the copies are the vector of this rank's column: lo to hi-1.
func (s *wholeSteps) column() (lo, hi int) {
	_, column := s.Of(s.node.Rank())
	length := s.blocks.array.Len()
	return column * length, (column + 1) * length
}
