package parts

import "github.com/fagus-dsm/fagus/fagus"

// Fields is several pairs of grids that a program computes in the same steps, each from all of
// them: a step is one phase in phase mode, as of one [Pair]. Their shapes and elements may differ.
//
//	height, err := parts.NewPair[float64](n, "height", shape)
//	speed, err := parts.NewPair[[2]float64](n, "speed", shape)
//	both := parts.Together(height, speed)
//	err = both.Fill(func() error { ... height.Next.Row(i), speed.Next.Row(i) ... })
//	for range steps {
//		err = both.Step(func() error { ... })
//	}
type Fields struct {
	pairs      []field
	fill, step turns
}

// field is a Pair.
type field interface {
	owner() *fagus.Node
	// requests returns what a Fill or a Step of the pair needs.
	requests(step bool) []fagus.Request
	// swapped makes Next Now.
	swapped()
	// parity says which of the two grids is Now.
	parity() int
}

// turns are the sets of all pairs, by the sum of their parities: pairs that are only swapped
// together need two of them.
type turns map[int]*fagus.SyncSet

// Together makes the Fields of pairs of one node.
func Together(pairs ...field) *Fields { return &Fields{pairs, turns{}, turns{}} }

// Fill is Pair.Fill for all pairs: f sets this rank's rows of every Next.
func (s *Fields) Fill(f func() error) error { return s.turn(s.fill, false, f) }

// Step is Pair.Step for all pairs: f sets this rank's rows of every Next.
func (s *Fields) Step(f func() error) error { return s.turn(s.step, true, f) }

func (s *Fields) turn(sets turns, step bool, f func() error) error {
	if len(s.pairs) == 0 {
		return f()
	}
	n, parities := s.pairs[0].owner(), 0
	for i, p := range s.pairs {
		parities += p.parity() << i
	}
	set := sets[parities]
	if set == nil {
		var all []fagus.Request
		for _, p := range s.pairs {
			all = append(all, p.requests(step)...)
		}
		set = n.Set(all...)
		sets[parities] = set
	}
	if err := n.During(set, f); err != nil {
		return err
	}
	for _, p := range s.pairs {
		p.swapped()
	}
	return n.Fence() // a neighbour may still read what the next turn writes
}
