package parts_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// cell is a key with unused bytes between its fields.
type cell struct {
	Small  uint8
	X      float64
	Corner [2]int16
	On     bool
}

func compareCells(a, b cell) int {
	return cmp.Or(cmp.Compare(a.Small, b.Small), cmp.Compare(a.X, b.X), slices.Compare(a.Corner[:], b.Corner[:]),
		cmp.Compare(fmt.Sprint(a.On), fmt.Sprint(b.On)))
}

type name string

// TestTable compares tables of several types of keys with maps.
func TestTable(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	checked(t, func(on fagus.Config) {
		run(t, on, func(n *fagus.Node) error {
			if err := table(n, seed, "words", strings.Compare, func(i int) string { return strings.Repeat("ab", i%41) + fmt.Sprint(i%13) }); err != nil {
				return err
			}
			if err := table(n, seed, "names", cmp.Compare, func(i int) name { return name(strings.Repeat("z", i%100)) }); err != nil {
				return err
			}
			if err := table(n, seed, "numbers", cmp.Compare, func(i int) int32 { return int32(1000 - i) }); err != nil {
				return err
			}
			return table(n, seed, "cells", compareCells, func(i int) cell {
				return cell{uint8(i % 5), float64(i%3) * math.Copysign(1, float64(i%4)-1.5), [2]int16{int16(i % 7), -1}, i%2 == 0}
			})
		})
	})
}

// table merges random entries three times, more each time, and compares the entries at the ranks
// with a map. The result of combining values depends on their order.
func table[K comparable](n *fagus.Node, seed uint64, what string, compare func(a, b K) int, key func(i int) K) error {
	combine := func(a, b line) line { return compose(a, b) }
	table, err := parts.NewTable(n, what, compare, combine)
	if err != nil {
		return err
	}
	put := func(to map[K]line, k K, v line) {
		if old, ok := to[k]; ok {
			v = combine(old, v)
		}
		to[k] = v
	}
	want := map[K]line{}
	for round, count := range []int{0, 20, 400} {
		for r := range n.Nodes() {
			random, added := rand.New(rand.NewPCG(seed, uint64(1000*round+r))), map[K]line{}
			for range random.IntN(count + 1) {
				k, v := key(random.IntN(1000)), lines(r, random.IntN(100), 1)[0]
				put(added, k, v)
				if r == n.Rank() {
					table.Add(k, v)
				}
			}
			for k, v := range added {
				put(want, k, v)
			}
		}
		if err := table.Merge(); err != nil {
			return err
		}
		for _, at := range [][]int{nil, {n.Nodes() - 1}} {
			all, err := table.Collect(at...)
			if err != nil {
				return err
			}
			if at != nil && at[0] != n.Rank() {
				if all != nil {
					return fmt.Errorf("%s: rank %d gets %d entries, want none", what, n.Rank(), len(all))
				}
				continue
			}
			if err := same(all, want, compare); err != nil {
				return fmt.Errorf("seed %d, %s, round %d, rank %d: %w", seed, what, round, n.Rank(), err)
			}
		}
	}
	return mine(n, table, len(want))
}

func same[K comparable](all []parts.Entry[K, line], want map[K]line, compare func(a, b K) int) error {
	if !slices.IsSortedFunc(all, func(a, b parts.Entry[K, line]) int { return compare(a.Key, b.Key) }) {
		return fmt.Errorf("the entries are not in order: %v", all)
	}
	got := map[K]line{}
	for _, e := range all {
		got[e.Key] = e.Value
	}
	if len(got) != len(all) || !maps.Equal(got, want) {
		return fmt.Errorf("%d entries %v, want %d: %v", len(all), all, len(want), want)
	}
	return nil
}

// mine checks that ranks together have every key, and each about as many.
func mine[K comparable](n *fagus.Node, table *parts.Table[K, line], keys int) error {
	all, err := fagus.Gather(n, len(table.Mine()))
	if err != nil {
		return err
	}
	sum := 0
	for _, count := range all {
		sum += count
	}
	if sum != keys || keys > 200 && slices.Min(all) < keys/n.Nodes()/2 {
		return fmt.Errorf("ranks have %d keys, want about as many each, and %d in all", all, keys)
	}
	return nil
}

// TestTableMistakes: keys and values that cannot be encoded, and keys that change, give errors.
func TestTableMistakes(t *testing.T) {
	combine := func(a, b int) int { return a }
	for want, declare := range map[string]func(*fagus.Node) error{
		`table "pointers": keys: codec: values of type *int: a pointer cannot be part of a key`: func(n *fagus.Node) error {
			return second(parts.NewTable(n, "pointers", func(a, b *int) int { return 0 }, combine))
		},
		`table "interfaces": keys: codec: values of type interface {}: an interface cannot be part of a key`: func(n *fagus.Node) error {
			return second(parts.NewTable(n, "interfaces", func(a, b any) int { return 0 }, combine))
		},
		"field Value: a func cannot be encoded": func(n *fagus.Node) error {
			return second(parts.NewTable(n, "values", strings.Compare, func(a, b func()) func() { return a }))
		},
		"on another rank, which is not equal": func(n *fagus.Node) error {
			table, err := parts.NewTable(n, "times", time.Time.Compare, combine)
			if err != nil {
				return err
			}
			table.Add(time.Now(), 1)
			return table.Merge()
		},
	} {
		_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1}, declare)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q in it", err, want)
		}
	}
}
