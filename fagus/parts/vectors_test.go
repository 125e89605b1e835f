package parts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// checked calls test as everywhere does, with and without access checking: without it, processes
// of one host share one copy of an array.
func checked(t *testing.T, test func(on fagus.Config)) {
	everywhere(t, func(on fagus.Config) {
		for _, on.Check = range []fagus.Check{fagus.CheckOff, fagus.CheckOn} {
			test(on)
		}
	})
}

// line is the function x -> A x + B modulo 2^32. It is not as large as a word, and the composition
// of lines depends on their order.
type line struct {
	A, B  uint32
	Calls [3]uint16
}

func compose(f, g line) line {
	h := line{A: f.A * g.A, B: f.A*g.B + f.B, Calls: f.Calls}
	h.Calls[0] += g.Calls[0]
	return h
}

// lines returns the vector of a rank in a round.
func lines(rank, round, length int) []line {
	all := make([]line, length)
	for i := range all {
		all[i] = line{uint32(2*rank + 3*round + 5*i + 1), uint32(rank - 7*i), [3]uint16{1}}
	}
	return all
}

// TestVectors gathers, reduces and broadcasts vectors of structs in several rounds, with calls of
// different kinds in a row. In some rounds the vector of a Broadcast is empty.
func TestVectors(t *testing.T) {
	checked(t, func(on fagus.Config) {
		run(t, on, func(n *fagus.Node) error {
			for _, inSteps := range []bool{false, true} {
				v, err := parts.NewVectorsInSteps[line](n, fmt.Sprint("v", inSteps), longest, inSteps)
				if err != nil {
					return err
				}
				if err := useVectors(n, v); err != nil {
					return fmt.Errorf("in steps %v: %w", inSteps, err)
				}
			}
			return nil
		})
	})
}

// TestVectorsOnMany does the same on so many nodes that there are groups of several lengths.
func TestVectorsOnMany(t *testing.T) {
	longtest.OneThread(t)
	for _, nodes := range []int{16, 19} {
		simulated, err := sim.New(sim.Config{Seed: uint64(nodes), Limit: 100 * dimmnet.Second})
		if err != nil {
			t.Fatal(err)
		}
		run(t, fagus.Config{Nodes: nodes, Net: simulated, Check: fagus.CheckOn}, func(n *fagus.Node) error {
			v, err := parts.NewVectors[line](n, "v", longest)
			if err != nil {
				return err
			}
			return useVectors(n, v)
		})
	}
}

const longest = 6 // vector

func useVectors(n *fagus.Node, v *parts.Vectors[line]) error {
	const rounds = 5
	for round := range rounds {
		n.Spend(fagus.Time(n.Rank()*(round%3)) * 100 * fagus.Microsecond)
		if err := gather(n, v, round, longest); err != nil {
			return err
		}
		if err := reduce(n, v, round); err != nil {
			return err
		}
		from := round % n.Nodes()
		got, err := parts.Broadcast(n, lines(n.Rank(), round, round%2*max(0, longest-n.Rank())), from)
		if want := lines(from, round, round%2*max(0, longest-from)); err == nil && !slices.Equal(got, want) {
			err = fmt.Errorf("round %d: rank %d gets %v from rank %d, want %v", round, n.Rank(), got, from, want)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func gather(n *fagus.Node, v *parts.Vectors[line], round, longest int) (err error) {
	length := func(rank int) int { return (rank*2 + round) % (longest + 1) }
	var read func([][]line)
	calls := 0
	if wanted := round%2 == 0 || n.Rank() == 0; wanted {
		calls = 1
		read = func(from [][]line) {
			calls--
			for r, x := range from {
				if want := lines(r, round, length(r)); !slices.Equal(x, want) {
					err = fmt.Errorf("round %d: rank %d gathers %v from rank %d, want %v", round, n.Rank(), x, r, want)
				}
			}
		}
	}
	if failed := v.Gather(lines(n.Rank(), round, length(n.Rank())), read); failed != nil {
		return failed
	}
	if calls != 0 {
		return fmt.Errorf("round %d: Gather on rank %d has not called read", round, n.Rank())
	}
	return err
}

func reduce(n *fagus.Node, v *parts.Vectors[line], round int) error {
	x, want := lines(n.Rank(), round, 4), lines(0, round, 4)
	for r := 1; r < n.Nodes(); r++ {
		for i, f := range lines(r, round, 4) {
			want[i] = compose(want[i], f)
		}
	}
	if err := v.Reduce(x, compose); err != nil {
		return err
	}
	if !slices.Equal(x, want) {
		return fmt.Errorf("round %d: rank %d reduces to %v, want %v", round, n.Rank(), x, want)
	}
	return nil
}

// TestVectorsMistakes: wrong arguments give errors that say what would be correct.
func TestVectorsMistakes(t *testing.T) {
	run(t, fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		v, err := parts.NewVectors[int16](n, "v", 3)
		if err != nil {
			return err
		}
		add := func(a, b int16) int16 { return a + b }
		for what, err := range map[string]error{
			"want at most 3, the length given to NewVectors": v.Gather(make([]int16, 4), nil),
			"want a rank from 0 to 1":                        second(parts.Broadcast[int16](n, nil, 2)),
			"want at least 1":                                second(parts.NewVectors[int16](n, "w", -1)),
		} {
			if err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("the error is %v, want %q in it", err, what)
			}
		}
		err = v.Reduce(make([]int16, 1+n.Rank()), add)
		if want := fmt.Sprintf("Reduce of %d elements on rank %d, and of %d on rank %d", 1+n.Rank(), n.Rank(), 2-n.Rank(), 1-n.Rank()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("uneven vectors: the error is %v, want %q in it", err, want)
		}
		return nil
	})
}
