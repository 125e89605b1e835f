package parts_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// person is a value of variable size.
type person struct {
	Name    string
	Friends []string
	Age     int
}

func randomPerson(random *rand.Rand) person {
	p := person{Name: strings.Repeat("n", random.IntN(30)), Age: random.IntN(90)}
	for range random.IntN(4) {
		p.Friends = append(p.Friends, strings.Repeat("f", random.IntN(9)))
	}
	return p
}

// TestList changes lists in turn, at random, and compares them with slices. The room is small, so
// that values are moved together often, and are rejected.
func TestList(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	checked(t, func(on fagus.Config) {
		run(t, on, func(n *fagus.Node) error {
			const count, room = 3, 700
			lists, err := parts.NewLists[person](n, "people", count, room)
			if err != nil {
				return err
			}
			random := rand.New(rand.NewPCG(seed, 1)) // the same on all ranks
			want := make([][]person, count)
			full := 0
			for turn := range 12 * n.Nodes() {
				at, mine := random.IntN(count), turn%n.Nodes() == n.Rank()
				if err := n.Fence(); err != nil {
					return err
				}
				set := n.Set()
				if mine {
					set = n.Set(lists[at].Write())
				}
				if err := n.During(set, func() error {
					var changed bool
					want[at], changed, err = change(lists[at], want[at], random, mine)
					if !changed {
						full++
					}
					return err
				}); err != nil {
					return fmt.Errorf("seed %d, turn %d: %w", seed, turn, err)
				}
				// All learn whether there was room.
				if full, err = fagus.Reduce(n, full, func(a, b int) int { return max(a, b) }); err != nil {
					return err
				}
				got, err := valuesOf(n, lists[at])
				if err != nil {
					return fmt.Errorf("seed %d: %w", seed, err)
				}
				if !mine {
					want[at] = got // as changed by another rank, which compares
				} else if !reflect.DeepEqual(got, want[at]) {
					return fmt.Errorf("seed %d, turn %d: list %d is\n%v, want\n%v", seed, turn, at, got, want[at])
				}
			}
			all, err := parts.Gather(n, want)
			if err == nil && !reflect.DeepEqual(all[0], want) {
				err = fmt.Errorf("seed %d: rank %d has %v, rank 0 has %v", seed, n.Rank(), want, all[0])
			}
			return err
		})
	})
}

// change changes a list, and the slice of what it has. It draws the same numbers if mine is false.
func change(l *parts.List[person], has []person, random *rand.Rand, mine bool) (now []person, changed bool, err error) {
	draw := rand.New(rand.NewPCG(random.Uint64(), 0))
	if !mine {
		return has, true, nil
	}
	if l.Len() != len(has) {
		return nil, false, fmt.Errorf("%d values, want %d", l.Len(), len(has))
	}
	for range 20 {
		switch what := draw.IntN(8); {
		case what < 3 || len(has) == 0:
			more := []person{randomPerson(draw), randomPerson(draw)}[:1+draw.IntN(2)]
			if err = l.Append(more...); err == nil {
				has = append(has, more...)
			}
		case what < 7:
			i, p := draw.IntN(len(has)), randomPerson(draw)
			if err = l.Set(i, p); err == nil {
				has[i] = p
			}
		default:
			length := len(has) - draw.IntN(min(3, len(has)+1))
			if err = l.Truncate(length); err == nil {
				has = has[:length]
			}
		}
		if err != nil {
			if !strings.Contains(err.Error(), "no room for") || !strings.Contains(err.Error(), "Make the list with more room") {
				return nil, false, err
			}
			return has, false, nil
		}
	}
	return has, true, nil
}

// valuesOf returns what a list has.
func valuesOf[T any](n *fagus.Node, l *parts.List[T]) (all []T, err error) {
	if err := n.Fence(); err != nil {
		return nil, err
	}
	err = n.During(n.Set(l.Read()), func() error {
		for v, err := range l.All() {
			if err != nil {
				return err
			}
			all = append(all, v)
		}
		if v, err := l.At(len(all)); err == nil {
			return fmt.Errorf("value %d of %d is %v", len(all), len(all), v)
		}
		return nil
	})
	return all, err
}

// TestListMoves: a tenure moves what it changes, not the list.
func TestListMoves(t *testing.T) {
	simulated, err := sim.New(sim.Config{Limit: 100 * dimmnet.Second})
	if err != nil {
		t.Fatal(err)
	}
	var moved [2]int
	for i, count := range []int{100, 10000} {
		report, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Net: simulated}, func(n *fagus.Node) error {
			l, err := parts.NewList[string](n, "l", 1<<20)
			if err != nil {
				return err
			}
			if err := n.During(n.Set(l.Write()), func() error {
				if l.Len() > 0 {
					return nil
				}
				return l.Append(slices.Repeat([]string{"a value"}, count)...)
			}); err != nil {
				return err
			}
			for turn := range 50 {
				set := n.Set()
				if turn%2 == n.Rank() {
					set = n.Set(l.Write())
				}
				if err := n.During(set, func() error {
					if turn%2 != n.Rank() {
						return nil
					}
					return l.Set(turn, "another value")
				}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range report.Ranks {
			moved[i] += int(r.Messages().Bytes)
		}
	}
	if more := moved[1] - moved[0]; more > 2*9900*20 {
		t.Errorf("with 100 values %d bytes move, with 10000 %d: want the list once, and then only changes", moved[0], moved[1])
	}
}

func TestListMistakes(t *testing.T) {
	run(t, fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		l, err := parts.NewList[string](n, "l", 100)
		if err != nil {
			return err
		}
		for want, err := range map[string]error{
			"field F: a func cannot be encoded":     second(parts.NewList[struct{ F func() }](n, "x", 10)),
			"room for 0 bytes: want 1 to":           second(parts.NewList[int](n, "x", 0)),
			"room for 4294967296 bytes: want 1 to":  second(parts.NewList[int](n, "x", 1<<32)),
			"want at least 1 list":                  second(parts.NewLists[int](n, "x", 0, 1)),
			"in a tenure of a set with its Write":   l.Append("x"),
			`list "l": value 0: the list has 0 val`: second(l.At(0)),
			`Set of value -1: the list has 0 value`: l.Set(-1, ""),
			"Truncate: 1 values: want 0 to 0":       l.Truncate(1),
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v, want %q in it", err, want)
			}
		}
		return n.During(n.Set(l.Read()), func() error {
			if err := l.Append("x"); err == nil || !strings.Contains(err.Error(), "not held exclusively") {
				t.Errorf("Append with Read: the error is %v", err)
			}
			if l.Len() != 0 {
				t.Errorf("%d values after errors", l.Len())
			}
			return nil
		})
	})
}

// TestListChecked: Config.Check finds accesses without the variable, also of lists that share a
// page.
func TestListChecked(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("Config.Check needs Linux")
	}
	for what, access := range map[string]func(l *parts.List[string]){
		"At":  func(l *parts.List[string]) { _, _ = l.At(0) },
		"Len": func(l *parts.List[string]) { l.Len() },
		"All": func(l *parts.List[string]) {
			for range l.All() {
			}
		},
	} {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			_, err := fagus.Run(ctx, fagus.Config{Nodes: 2, Mode: mode, Check: fagus.CheckOn}, func(n *fagus.Node) error {
				lists, err := parts.NewLists[string](n, "l", 3, 100)
				if err != nil {
					return err
				}
				return n.During(n.Set(lists[n.Rank()].Write()), func() error {
					if err := lists[n.Rank()].Append("right"); err != nil {
						return err
					}
					access(lists[2])
					return nil
				})
			})
			cancel()
			if err == nil || !strings.Contains(err.Error(), " l[") || !strings.Contains(err.Error(), "parts/list_test.go:") {
				t.Errorf("%s in %v mode: the error is %v, want the array and the line", what, mode, err)
			}
		}
	}
}

// BenchmarkList appends and reads 1000 structs with a string and a slice: in a List, one at a time
// and all at once, in a plain slice, and as streams of gob in an array of bytes, which users wrote
// before. It reports the time for each value.
func BenchmarkList(b *testing.B) {
	const count, room = 1000, 1 << 20
	people := make([]person, count)
	for i := range people {
		people[i] = person{fmt.Sprint("person ", i), []string{"a friend", "another"}, i}
	}
	list := func(b *testing.B, f func(l *parts.List[person]) error) {
		onRank(b, func(n *fagus.Node) error {
			l, err := parts.NewList[person](n, "l", room)
			if err != nil {
				return err
			}
			return n.During(n.Set(l.Write()), func() error {
				if err := l.Append(people...); err != nil {
					return err
				}
				for b.Loop() {
					if err := f(l); err != nil {
						return err
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/count, "ns/value")
				return nil
			})
		})
	}
	b.Run("append", func(b *testing.B) {
		list(b, func(l *parts.List[person]) error {
			err := l.Truncate(0)
			for i := 0; i < count && err == nil; i++ {
				err = l.Append(people[i])
			}
			return err
		})
	})
	b.Run("append-all", func(b *testing.B) {
		list(b, func(l *parts.List[person]) error { return errors.Join(l.Truncate(0), l.Append(people...)) })
	})
	b.Run("set", func(b *testing.B) {
		list(b, func(l *parts.List[person]) error {
			for i := range count {
				if err := l.Set(i, people[i]); err != nil {
					return err
				}
			}
			return nil
		})
	})
	b.Run("at", func(b *testing.B) {
		list(b, func(l *parts.List[person]) error {
			for i := range count {
				if _, err := l.At(i); err != nil {
					return err
				}
			}
			return nil
		})
	})
	b.Run("slice-append", func(b *testing.B) {
		var all []person
		for b.Loop() {
			all = all[:0]
			for _, p := range people {
				all = append(all, person{strings.Clone(p.Name), slices.Clone(p.Friends), p.Age})
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/count, "ns/value")
	})
	b.Run("gob", func(b *testing.B) {
		memory := make([]byte, room)
		for b.Loop() { // all of them, at a change of one
			var stream bytes.Buffer
			if err := gob.NewEncoder(&stream).Encode(people); err != nil {
				b.Fatal(err)
			}
			var all []person
			if err := gob.NewDecoder(bytes.NewReader(memory[:copy(memory, stream.Bytes())])).Decode(&all); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/count, "ns/value")
	})
}

func onRank(b *testing.B, f func(n *fagus.Node) error) {
	if _, err := fagus.Run(b.Context(), fagus.Config{Nodes: 1}, f); err != nil {
		b.Fatal(err)
	}
}
