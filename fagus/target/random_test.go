package target_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/target"
)

// TestRandomCalls: random calls, of which many are mistakes, return the same and leave the same in memory, whether the Node is here
// or at the other end of a connection.
func TestRandomCalls(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 8
	}
	seen := make(map[target.Code]int)
	for seed := uint64(1); seed <= seeds; seed++ {
		for _, mode := range []fagus.Engine{fagus.Phase, fagus.Threaded} {
			nodes := 1 + int(seed%4)
			here, afar := make([]*caller, nodes), make([]*caller, nodes)
			run(t, nodes, mode, func(s target.Calls) error {
				c := newCaller(s, seed, mode == fagus.Phase)
				if _, ok := s.(*target.Client); ok {
					afar[s.Rank()] = c
				} else {
					here[s.Rank()] = c
				}
				return c.run()
			})
			for rank := range nodes {
				compare(t, fmt.Sprintf("seed %d, %v mode, rank %d of %d", seed, mode, rank, nodes), here[rank], afar[rank])
			}
			if t.Failed() {
				return
			}
			for code, n := range here[0].codes {
				seen[code] += n
			}
		}
	}
	for _, code := range []target.Code{target.OK, target.Argument, target.Handle, target.Address, target.Bound, target.Name, target.Twice, target.Held, target.NotHeld, target.Memory} {
		if seen[code] < 5 {
			t.Errorf("%v came %d times only", code, seen[code])
		}
	}
}

// compare says where two callers of one seed part.
func compare(t *testing.T, what string, here, afar *caller) {
	t.Helper()
	if here == nil || afar == nil {
		t.Errorf("%s: a run did not begin", what)
		return
	}
	for i := range min(len(here.told), len(afar.told)) {
		if here.told[i] != afar.told[i] {
			t.Errorf("%s: call %d: here\n%s\nfrom afar\n%s\nafter\n%s", what, i, here.told[i], afar.told[i], strings.Join(here.told[max(0, i-10):i], "\n"))
			return
		}
	}
	if len(here.told) != len(afar.told) {
		t.Errorf("%s: %d calls here, %d from afar", what, len(here.told), len(afar.told))
	}
}

// caller makes the calls of a rank.
type caller struct {
	target.Calls
	all     *rand.Rand // the same at every rank
	own     *rand.Rand
	ordered bool // who acquires when does not depend on time

	arrays []int // their bytes
	spans  [][]target.Span
	sets   []map[int]target.Mode
	had    map[int]target.Mode
	held   int // a set; -1 if there is none

	told  []string // what each call returned, and what memory was then
	codes map[target.Code]int
}

func newCaller(s target.Calls, seed uint64, ordered bool) *caller {
	return &caller{Calls: s, all: rand.New(rand.NewPCG(seed, 0)), own: rand.New(rand.NewPCG(seed, 1+uint64(s.Rank()))),
		ordered: ordered, had: make(map[int]target.Mode), held: -1, codes: make(map[target.Code]int)}
}

// tell notes what a call returned, with what it has made.
func (c *caller) tell(call string, made any, err error) {
	switch {
	case codeOf(err) == target.Memory: // each says whose there is none of
		made = nil
	case err != nil:
		made = err
	}
	c.told = append(c.told, fmt.Sprintf("%s: %d %v", call, codeOf(err), made))
	c.codes[codeOf(err)]++
}

// run makes calls, all legal ones that are collective in the same order at all ranks; then every rank reads all.
func (c *caller) run() error {
	for range 25 {
		switch c.all.IntN(6) {
		case 0:
			c.alloc()
		case 1, 2:
			c.bind()
		case 3:
			c.tell("update", nil, c.Update())
			if c.ordered {
				c.tell("memory", c.memory(c.parts(c.had)...), nil)
			}
		case 4:
			c.reduce()
		}
		for range c.own.IntN(6) {
			c.alone()
		}
		if len(c.sets) == 0 || c.own.IntN(4) == 0 {
			c.newSet()
		}
		if err := c.tenure(c.own.IntN(len(c.sets))); err != nil {
			return err
		}
	}
	return c.readAll()
}

// memory is a hash of parts of memory.
func (c *caller) memory(parts ...[]byte) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write(p) // a hash takes all
	}
	return h.Sum64()
}

// part is the memory of a span.
func (c *caller) part(p target.Span) []byte { return c.Memory(p.Array)[p.Offset:][:p.Bytes] }

// parts is the memory of variables, in order.
func (c *caller) parts(variables map[int]target.Mode) (parts [][]byte) {
	for _, v := range slices.Sorted(maps.Keys(variables)) {
		for _, p := range c.spans[v] {
			parts = append(parts, c.part(p))
		}
	}
	return parts
}

// oddly is n, or sometimes a number near it that may mean nothing.
func oddly(r *rand.Rand, n int) int {
	if r.IntN(8) == 0 {
		return []int{-1, n + 1, n + 7, math.MaxInt32, math.MinInt32}[r.IntN(5)]
	}
	return n
}

func pick(r *rand.Rand, n int) int { return oddly(r, r.IntN(max(n, 1))) }

func (c *caller) alloc() {
	bytes := []int{1, 7, 100, 4096, 5000, 3 * 4096, 0, -5, 1 << 60}[c.all.IntN(9)]
	name := fmt.Sprintf("array%d", c.all.IntN(12))
	switch {
	case bytes == 1<<60:
		name = "too large"
	case c.all.IntN(20) == 0:
		name = strings.Repeat("x", target.MaxName+c.all.IntN(2))
	}
	n, err := c.Alloc(name, bytes)
	if err == nil {
		c.arrays = append(c.arrays, bytes)
	}
	c.tell(fmt.Sprintf("alloc %.10s %d", name, bytes), n, err)
}

func (c *caller) bind() {
	var spans []target.Span
	for range c.all.IntN(4) {
		p := target.Span{Array: pick(c.all, len(c.arrays))}
		if p.Array >= 0 && p.Array < len(c.arrays) {
			p.Offset = pick(c.all, c.arrays[p.Array])
			p.Bytes = 1 + c.all.IntN(max(1, min(200, c.arrays[p.Array]-p.Offset)))
		}
		p.Bytes = oddly(c.all, p.Bytes)
		spans = append(spans, p)
	}
	kept := slices.Clone(spans)
	v, err := c.Bind(fmt.Sprintf("variable%d", c.all.IntN(40)), spans...)
	if err == nil {
		c.spans = append(c.spans, kept)
	}
	clear(spans) // whoever is called has kept none of it
	c.tell(fmt.Sprintf("bind %v", kept), v, err)
}

func (c *caller) newSet() {
	n, err := c.NewSet()
	if err == nil {
		c.sets = append(c.sets, make(map[int]target.Mode))
	}
	c.tell("new set", n, err)
}

func (c *caller) ask() {
	set, v, mode := pick(c.own, len(c.sets)), pick(c.own, len(c.spans)), target.Mode(oddly(c.own, c.own.IntN(3)))
	err := c.Ask(set, v, mode)
	if err == nil {
		c.sets[set][v] = mode
	}
	c.tell(fmt.Sprintf("ask %d %d %d", set, v, mode), nil, err)
}

func (c *caller) reduce() {
	op := target.Op(oddly(c.all, c.all.IntN(3)))
	i, err := c.ReduceInt(op, int64(c.own.Uint64()))
	c.tell("reduce", i, err)
	f, err := c.ReduceFloat(op, c.own.NormFloat64())
	c.tell("reduce", math.Float64bits(f), err)
}

// alone makes a call that concerns no other rank.
func (c *caller) alone() {
	switch c.own.IntN(6) {
	case 0:
		c.tell("spend", nil, c.Spend([]int64{0, 5, -1, math.MaxInt64, math.MinInt64}[c.own.IntN(5)]))
	case 1:
		set := pick(c.own, len(c.sets))
		err := c.Clear(set)
		if err == nil {
			clear(c.sets[set])
		}
		c.tell(fmt.Sprintf("clear %d", set), nil, err)
	case 2: // another than what is held
		if set := pick(c.own, len(c.sets)); set != c.held {
			c.tell(fmt.Sprintf("release %d", set), nil, c.Release(set))
		}
	case 3:
		if c.held < 0 {
			c.tell("wrote", nil, c.Wrote(target.Span{Array: pick(c.own, len(c.arrays)), Bytes: 1}))
		}
	default:
		c.ask()
	}
}

// refused makes collective calls that are refused, whatever they want: something is held.
func (c *caller) refused() {
	switch c.own.IntN(6) {
	case 0:
		n, err := c.Alloc("held", c.own.IntN(3))
		c.tell("alloc", n, err)
	case 1:
		c.tell("update", nil, c.Update())
	case 2:
		c.tell("barrier", nil, c.Barrier())
	case 3:
		x, err := c.ReduceInt(target.Op(c.own.IntN(5)), 1)
		c.tell("reduce", x, err)
	case 4:
		set := pick(c.own, len(c.sets))
		c.tell(fmt.Sprintf("acquire %d", set), nil, c.Acquire(set))
	default:
		c.tell("end", nil, c.End())
	}
}

// tenure acquires a set, writes, tells of what is to be told, and releases.
func (c *caller) tenure(set int) error {
	if c.own.IntN(5) == 0 {
		c.tell("acquire none", nil, c.Acquire(len(c.sets)+3))
	}
	err := c.Acquire(set)
	c.tell(fmt.Sprintf("acquire %d", set), nil, err)
	if err != nil {
		return err
	}
	c.held = set
	maps.Copy(c.had, c.sets[set])
	if c.ordered {
		c.tell("memory", c.memory(c.parts(c.sets[set])...), nil)
	}
	for range c.own.IntN(4) {
		c.alone()
		c.refused()
	}
	for _, v := range slices.Sorted(maps.Keys(c.sets[set])) {
		c.write(v, c.sets[set][v])
	}
	err = c.Release(set)
	c.tell(fmt.Sprintf("release %d", set), nil, err)
	c.held = -1
	return err
}

// write adds to bytes of a variable: where ranks take turns in any order the sum is the same.
func (c *caller) write(v int, mode target.Mode) {
	for _, p := range c.spans[v] {
		lo := c.own.IntN(p.Bytes)
		hi := lo + 1 + c.own.IntN(p.Bytes-lo)
		add := byte(c.own.IntN(4)) // 0: nothing changes
		told := target.Span{Array: p.Array, Offset: p.Offset + lo, Bytes: hi - lo}
		if mode != target.Shared {
			for i := range c.part(told) {
				c.part(told)[i] += add
			}
		}
		if mode == target.Telling || c.own.IntN(4) == 0 {
			c.tell(fmt.Sprintf("wrote %v", told), nil, c.Wrote(told))
		}
	}
}

// readAll acquires all there is, and ends with all of memory.
func (c *caller) readAll() error {
	err := c.Barrier()
	set, err1 := c.NewSet()
	if err := errors.Join(err, err1); err != nil {
		return err
	}
	for v := range c.spans {
		if err := c.Ask(set, v, target.Shared); err != nil {
			return err
		}
	}
	if err := c.Acquire(set); err != nil {
		return err
	}
	for a := range c.arrays {
		c.tell("all memory", c.memory(c.Memory(a)), nil)
	}
	return c.Release(set)
}
