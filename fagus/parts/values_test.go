package parts_test

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// peopleOf returns what a rank has to say in a round: sometimes nothing, sometimes much.
func peopleOf(rank, round int) []person {
	if (rank+round)%3 == 0 {
		return nil
	}
	all := make([]person, 1+(rank*round*37)%90)
	for i := range all {
		all[i] = person{fmt.Sprint("rank ", rank), []string{strings.Repeat("x", i), ""}, round}
	}
	return all
}

// TestCollectivesOfValues calls the operations of all ranks with values of any size.
func TestCollectivesOfValues(t *testing.T) {
	everywhere(t, func(on fagus.Config) {
		run(t, on, func(n *fagus.Node) error {
			all, err := parts.NewAllToAll[person](n, "a", 0)
			if err != nil {
				return err
			}
			numbers, err := parts.NewAllToAll[int32](n, "numbers", 0)
			if err != nil {
				return err
			}
			vectors, err := parts.NewVectors[person](n, "v", 100)
			if err != nil {
				return err
			}
			for round := range 4 {
				for _, err := range []error{gathered(n, vectors, round), broadcasted(n, round), reduced(n, round), exchanged(n, all, numbers, round)} {
					if err != nil {
						return fmt.Errorf("round %d, rank %d of %d: %w", round, n.Rank(), n.Nodes(), err)
					}
				}
			}
			return nil
		})
	})
}

func equal(what string, got, want any) error {
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("%s: %v, want %v", what, got, want)
	}
	return nil
}

func gathered(n *fagus.Node, vectors *parts.Vectors[person], round int) error {
	var want [][]person
	for r := range n.Nodes() {
		want = append(want, peopleOf(r, round))
	}
	got, err := parts.Gather(n, want[n.Rank()])
	if err != nil {
		return err
	}
	var from [][]person
	read := func(all [][]person) { from = all }
	if n.Rank() == round%n.Nodes() {
		read, from = nil, want
	}
	if err := vectors.Gather(want[n.Rank()], read); err != nil {
		return err
	}
	return errors.Join(equal("Gather", got, want), equal("Vectors.Gather", from, want))
}

func broadcasted(n *fagus.Node, round int) error {
	from := round % n.Nodes()
	var mine []person
	if n.Rank() == from {
		mine = peopleOf(from, round)
	}
	got, err := parts.Broadcast(n, mine, from)
	if err != nil {
		return err
	}
	return equal("Broadcast", got, peopleOf(from, round))
}

// reduced combines values in the order of the ranks.
func reduced(n *fagus.Node, round int) error {
	text, err := parts.Reduce(n, fmt.Sprint("<", n.Rank(), ">"), func(a, b string) string { return a + b })
	if err != nil {
		return err
	}
	mine := map[string]*big.Int{fmt.Sprint(n.Rank()): big.NewInt(int64(round)), "sum": new(big.Int).Lsh(big.NewInt(1), uint(100*round))}
	kept := maps.Clone(mine)
	all, err := parts.Reduce(n, mine, func(a, b map[string]*big.Int) map[string]*big.Int {
		for k, v := range b {
			if a[k] == nil {
				a[k] = new(big.Int)
			}
			a[k].Add(a[k], v)
		}
		return a
	})
	if err != nil {
		return err
	}
	wantText, sum := "", new(big.Int)
	for r := range n.Nodes() {
		wantText += fmt.Sprint("<", r, ">")
		sum.Add(sum, mine["sum"])
	}
	return errors.Join(equal("Reduce", text, wantText), equal("Reduce of maps", all["sum"], sum),
		equal("keys", len(all), n.Nodes()+1), equal("the own map", mine, kept))
}

func exchanged(n *fagus.Node, all *parts.AllToAll[person], numbers *parts.AllToAll[int32], round int) error {
	var wrong error
	if err := all.Exchange(func(to [][]person) {
		for r := range to {
			to[r] = append(to[r], peopleOf(n.Rank()+r, round)...)
		}
	}, func(from [][]person) {
		for r := range from {
			want := append([]person(nil), peopleOf(n.Rank()+r, round)...)
			wrong = errors.Join(wrong, equal(fmt.Sprint("Exchange from ", r), from[r], want))
		}
	}); err != nil {
		return err
	}
	length := func(from, to int) int { return (from*5 + to*300*round) % 2000 }
	err := numbers.Exchange(func(to [][]int32) {
		for r := range to {
			to[r] = make([]int32, length(n.Rank(), r))
		}
	}, func(from [][]int32) {
		for r := range from {
			wrong = errors.Join(wrong, equal(fmt.Sprint("numbers from ", r), len(from[r]), length(r, n.Rank())))
		}
	})
	return errors.Join(err, wrong)
}

// TestTableOfValues groups values of any size by keys of any size, the same on every network.
func TestTableOfValues(t *testing.T) {
	type key struct {
		Kind [2]string
		N    int8
	}
	var first []parts.Entry[key, []person]
	everywhere(t, func(on fagus.Config) {
		results := runFor(t, on, func(n *fagus.Node) ([]parts.Entry[key, []person], error) {
			table, err := parts.NewTable(n, "groups",
				func(a, b key) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) },
				func(a, b []person) []person { return append(a, b...) })
			if err != nil {
				return nil, err
			}
			for round := range 3 {
				lo, hi := parts.Block(60, n.Nodes(), n.Rank())
				for i := lo; i < hi; i++ {
					k := key{[2]string{strings.Repeat("k", i%7), "x"}, int8(i % 2)}
					table.Add(k, []person{{Name: fmt.Sprint(i, " in ", round), Friends: make([]string, i%5)}})
				}
				if err := table.Merge(); err != nil {
					return nil, err
				}
			}
			return table.Collect()
		})
		for r, got := range results {
			if first == nil {
				first = got
			}
			if !reflect.DeepEqual(got, first) || len(got) != 14 {
				t.Errorf("%d nodes, rank %d: %d groups %v, want %v", on.Nodes, r, len(got), got, first)
			}
		}
	})
}

// failing can be encoded only while Fails is false.
type failing struct {
	Fails bool
	_     func()
}

func (f failing) MarshalBinary() ([]byte, error) {
	if f.Fails {
		return nil, errors.New("it fails")
	}
	return nil, nil
}

func (f *failing) UnmarshalBinary(b []byte) error { return nil }

// TestValuesMistakes: types that cannot be encoded, and values that fail, give errors on all ranks.
func TestValuesMistakes(t *testing.T) {
	for want, program := range map[string]func(n *fagus.Node) error{
		"parts: Gather: codec: values of type func(): a func cannot be encoded": func(n *fagus.Node) error {
			return second(parts.Gather(n, func() {}))
		},
		"parts: Broadcast: codec: values of type chan int: a chan cannot be encoded": func(n *fagus.Node) error {
			return second(parts.Broadcast(n, []chan int{}, 0))
		},
		`parts: all-to-all "a": codec: values of type unsafe.Pointer`: func(n *fagus.Node) error {
			return second(parts.NewAllToAll[unsafe.Pointer](n, "a", 1))
		},
		`parts: vectors "v": codec: values of type uintptr: a uintptr cannot be encoded`: func(n *fagus.Node) error {
			return second(parts.NewVectors[uintptr](n, "v", 1))
		},
		`parts: vectors "v": 3 elements on rank`: func(n *fagus.Node) error {
			v, err := parts.NewVectors[string](n, "v", 2)
			if err != nil {
				return err
			}
			return v.Gather(make([]string, 3), nil)
		},
		`parts: all-to-all "a": 3 elements from rank`: func(n *fagus.Node) error {
			a, err := parts.NewAllToAll[string](n, "a", 2)
			if err != nil {
				return err
			}
			return a.Exchange(func(to [][]string) { to[1-n.Rank()] = make([]string, 3) }, func([][]string) {})
		},
		"it fails": func(n *fagus.Node) error {
			if _, err := parts.Gather(n, failing{}); err != nil {
				return err
			}
			return second(parts.Gather(n, failing{Fails: n.Rank() == 1}))
		},
	} {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Mode: mode}, program)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v, want %q in it", err, want)
			}
		}
	}
}
