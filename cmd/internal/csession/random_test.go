package csession_test

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

	"github.com/fagus-dsm/fagus/cmd/internal/csession"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestRandomCalls makes random calls, many of them invalid, with the Node in this process and
// with the Node at the other end of a connection. The results and the memory must be equal.
func TestRandomCalls(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 8
	}
	seen := make(map[csession.Code]int)
	for seed := uint64(1); seed <= seeds; seed++ {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			nodes := 1 + int(seed%4)
			here, remote := make([]*caller, nodes), make([]*caller, nodes)
			run(t, nodes, mode, func(s csession.Calls) error {
				c := newCaller(s, seed, mode == fagus.Phase)
				if _, ok := s.(*csession.Client); ok {
					remote[s.Rank()] = c
				} else {
					here[s.Rank()] = c
				}
				return c.run()
			})
			for rank := range nodes {
				compare(t, fmt.Sprintf("seed %d, %v mode, rank %d of %d", seed, mode, rank, nodes), here[rank], remote[rank])
			}
			if t.Failed() {
				return
			}
			for code, n := range here[0].codes {
				seen[code] += n
			}
		}
	}
	for _, code := range []csession.Code{csession.OK, csession.Argument, csession.Handle, csession.Address, csession.Bound, csession.Name, csession.Twice, csession.Held, csession.NotHeld, csession.Memory} {
		if seen[code] < 5 {
			t.Errorf("the random calls return code %v only %d times", code, seen[code])
		}
	}
}

// compare reports the first difference between the results of two callers with the same seed.
func compare(t *testing.T, what string, here, remote *caller) {
	t.Helper()
	if here == nil || remote == nil {
		t.Errorf("%s: a run has no calls", what)
		return
	}
	for i := range min(len(here.results), len(remote.results)) {
		if here.results[i] != remote.results[i] {
			t.Errorf("%s: call %d: here\n%s\nwith a Client\n%s\nafter\n%s", what, i, here.results[i], remote.results[i], strings.Join(here.results[max(0, i-10):i], "\n"))
			return
		}
	}
	if len(here.results) != len(remote.results) {
		t.Errorf("%s: %d calls here, %d with a Client", what, len(here.results), len(remote.results))
	}
}

// caller makes random calls as one rank.
type caller struct {
	csession.Calls
	all     *rand.Rand // random source with the same state at every rank
	own     *rand.Rand
	ordered bool // set where the order of acquires does not depend on time

	arrays []int // sizes of the arrays in bytes
	spans  [][]csession.Span
	sets   []map[int]csession.Access
	had    map[int]csession.Access
	held   int // number of the held set; -1 if none is held

	results []string // for each call: the result, and a hash of the memory after the call
	codes   map[csession.Code]int
}

func newCaller(s csession.Calls, seed uint64, ordered bool) *caller {
	return &caller{Calls: s, all: rand.New(rand.NewPCG(seed, 0)), own: rand.New(rand.NewPCG(seed, 1+uint64(s.Rank()))),
		ordered: ordered, had: make(map[int]csession.Access), held: -1, codes: make(map[csession.Code]int)}
}

// record records the result of a call.
func (c *caller) record(call string, made any, err error) {
	switch {
	case codeOf(err) == csession.Memory: // Session and Client explain this code by different texts
		made = nil
	case err != nil:
		made = err
	}
	c.results = append(c.results, fmt.Sprintf("%s: %d %v", call, codeOf(err), made))
	c.codes[codeOf(err)]++
}

// run makes random calls. Valid collective calls have the same order at all ranks. At the end run
// acquires and records all memory.
func (c *caller) run() error {
	for range 25 {
		switch c.all.IntN(6) {
		case 0:
			c.alloc()
		case 1, 2:
			c.bind()
		case 3:
			c.record("update", nil, c.Update())
			if c.ordered {
				c.record("memory", c.memory(c.parts(c.had)...), nil)
			}
		case 4:
			c.reduce()
		case 5:
			c.record("fence", nil, c.Fence())
		}
		for range c.own.IntN(6) {
			c.callAlone()
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

// memory returns a hash of parts of memory.
func (c *caller) memory(parts ...[]byte) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write(p) // a hash never returns an error
	}
	return h.Sum64()
}

// part returns the memory of a span.
func (c *caller) part(p csession.Span) []byte { return c.Memory(p.Array)[p.Offset:][:p.Bytes] }

// parts returns the memory of variables, in order.
func (c *caller) parts(variables map[int]csession.Access) (parts [][]byte) {
	for _, v := range slices.Sorted(maps.Keys(variables)) {
		for _, p := range c.spans[v] {
			parts = append(parts, c.part(p))
		}
	}
	return parts
}

// oddly returns n, or sometimes a number near n that may be invalid.
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
		name = strings.Repeat("x", csession.MaxName+c.all.IntN(2))
	}
	n, err := c.Alloc(name, bytes)
	if err == nil {
		c.arrays = append(c.arrays, bytes)
	}
	c.record(fmt.Sprintf("alloc %.10s %d", name, bytes), n, err)
}

func (c *caller) bind() {
	var spans []csession.Span
	for range c.all.IntN(4) {
		p := csession.Span{Array: pick(c.all, len(c.arrays))}
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
	clear(spans) // Bind must have copied the spans
	c.record(fmt.Sprintf("bind %v", kept), v, err)
}

func (c *caller) newSet() {
	n, err := c.NewSet()
	if err == nil {
		c.sets = append(c.sets, make(map[int]csession.Access))
	}
	c.record("new set", n, err)
}

func (c *caller) addToSet() {
	set, v, mode := pick(c.own, len(c.sets)), pick(c.own, len(c.spans)), csession.Access(oddly(c.own, c.own.IntN(3)))
	add := c.Add
	if c.own.IntN(4) == 0 {
		add = c.AddUnordered
	}
	err := add(set, v, mode)
	if err == nil {
		c.sets[set][v] = mode
	}
	c.record(fmt.Sprintf("ask %d %d %d", set, v, mode), nil, err)
}

func (c *caller) reduce() {
	op := csession.Op(oddly(c.all, c.all.IntN(3)))
	i, err := c.ReduceInt(op, int64(c.own.Uint64()))
	c.record("reduce", i, err)
	f, err := c.ReduceFloat(op, c.own.NormFloat64())
	c.record("reduce", math.Float64bits(f), err)
}

// callAlone makes a call that concerns no other rank.
func (c *caller) callAlone() {
	switch c.own.IntN(6) {
	case 0:
		c.record("spend", nil, c.Spend([]int64{0, 5, -1, math.MaxInt64, math.MinInt64}[c.own.IntN(5)]))
	case 1:
		set := pick(c.own, len(c.sets))
		err := c.Clear(set)
		if err == nil {
			clear(c.sets[set])
		}
		c.record(fmt.Sprintf("clear %d", set), nil, err)
	case 2: // this set may differ from the held set
		if set := pick(c.own, len(c.sets)); set != c.held {
			c.record(fmt.Sprintf("release %d", set), nil, c.Release(set))
		}
	case 3:
		if c.held < 0 {
			c.record("wrote", nil, c.Wrote(csession.Span{Array: pick(c.own, len(c.arrays)), Bytes: 1}))
		}
	default:
		c.addToSet()
	}
}

// refused makes collective calls that are refused because a set is held.
func (c *caller) refused() {
	switch c.own.IntN(6) {
	case 0:
		n, err := c.Alloc("held", c.own.IntN(3))
		c.record("alloc", n, err)
	case 1:
		c.record("update", nil, c.Update())
	case 2:
		c.record("barrier", nil, c.Barrier())
	case 3:
		x, err := c.ReduceInt(csession.Op(c.own.IntN(5)), 1)
		c.record("reduce", x, err)
	case 4:
		set := pick(c.own, len(c.sets))
		c.record(fmt.Sprintf("acquire %d", set), nil, c.Acquire(set))
	default:
		c.record("end", nil, c.End())
	}
}

// tenure acquires a set, writes, declares the writes where necessary, and releases the set.
func (c *caller) tenure(set int) error {
	if c.own.IntN(5) == 0 {
		c.record("acquire none", nil, c.Acquire(len(c.sets)+3))
	}
	err := c.Acquire(set)
	c.record(fmt.Sprintf("acquire %d", set), nil, err)
	if err != nil {
		return err
	}
	c.held = set
	maps.Copy(c.had, c.sets[set])
	if c.ordered {
		c.record("memory", c.memory(c.parts(c.sets[set])...), nil)
	}
	for range c.own.IntN(4) {
		c.callAlone()
		c.refused()
	}
	for _, v := range slices.Sorted(maps.Keys(c.sets[set])) {
		c.write(v, c.sets[set][v])
	}
	err = c.Release(set)
	c.record(fmt.Sprintf("release %d", set), nil, err)
	c.held = -1
	return err
}

// write adds numbers to bytes of a variable. The sums do not depend on the order of ranks.
func (c *caller) write(v int, mode csession.Access) {
	for _, p := range c.spans[v] {
		lo := c.own.IntN(p.Bytes)
		hi := lo + 1 + c.own.IntN(p.Bytes-lo)
		add := byte(c.own.IntN(4)) // a 0 changes nothing
		written := csession.Span{Array: p.Array, Offset: p.Offset + lo, Bytes: hi - lo}
		if mode != csession.Shared {
			for i := range c.part(written) {
				c.part(written)[i] += add
			}
		}
		if mode == csession.Declared || c.own.IntN(4) == 0 {
			c.record(fmt.Sprintf("wrote %v", written), nil, c.Wrote(written))
		}
	}
}

// readAll acquires all variables and records a hash of all memory.
func (c *caller) readAll() error {
	err := c.Barrier()
	set, err1 := c.NewSet()
	if err := errors.Join(err, err1); err != nil {
		return err
	}
	for v := range c.spans {
		if err := c.Add(set, v, csession.Shared); err != nil {
			return err
		}
	}
	if err := c.Acquire(set); err != nil {
		return err
	}
	for a := range c.arrays {
		c.record("all memory", c.memory(c.Memory(a)), nil)
	}
	return c.Release(set)
}
