package consistency_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestRebindRandomly assigns random bytes to variables. It compares the guard of each byte, and
// the former guards of each variable's bytes, with a list of all bytes.
func TestRebindRandomly(t *testing.T) {
	const size, vars = 200, 5
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		s, base, _ := newSpace(t, size)
		guard := make([]syncvar.ID, size) // by byte; vars: none
		for i := range guard {
			guard[i] = syncvar.ID(random.IntN(vars + 1))
		}
		for v := range syncvar.ID(vars) {
			guard[v] = v // each variable has a byte
		}
		rangesOf := func(v syncvar.ID) (ranges []consistency.Range) {
			for i, g := range guard {
				if g == v {
					ranges = append(ranges, rng(base+consistency.Addr(i), base+consistency.Addr(i+1)))
				}
			}
			random.Shuffle(len(ranges), func(i, j int) { ranges[i], ranges[j] = ranges[j], ranges[i] })
			return ranges
		}
		for v := range syncvar.ID(vars) {
			bind(t, s, string(rune('a'+v)), rangesOf(v)...)
		}
		for range 4 {
			before := slices.Clone(guard)
			ids := random.Perm(vars)[:1+random.IntN(vars)]
			chosen := func(v syncvar.ID) bool { return slices.Contains(ids, int(v)) }
			for i := range guard {
				if chosen(guard[i]) && i >= vars {
					guard[i] = syncvar.ID(ids[random.IntN(len(ids))])
				}
			}
			var of []syncvar.ID
			var ranges [][]consistency.Range
			for _, v := range ids {
				of, ranges = append(of, syncvar.ID(v)), append(ranges, rangesOf(syncvar.ID(v)))
			}
			r, err := s.Rebinding(of, ranges)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			var want []syncvar.ID
			for v := range syncvar.ID(vars) {
				if !slices.Equal(positions(before, v), positions(guard, v)) {
					want = append(want, v)
				}
			}
			if got := r.Changed(); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %v change, want %v", seed, got, want)
			}
			for _, v := range want {
				var from []syncvar.ID
				for _, i := range positions(guard, v) {
					from = append(from, before[i])
				}
				slices.Sort(from)
				if got := s.Sources(r, []syncvar.ID{v}); !slices.Equal(got, slices.Compact(from)) {
					t.Fatalf("seed %d: what %d guards now was guarded by %v, want %v", seed, v, got, slices.Compact(from))
				}
			}
			declared := s.Declared()
			if s.Rebind(r); s.Declared() != declared+1 {
				t.Fatalf("seed %d: Rebind is %d declarations, want 1", seed, s.Declared()-declared)
			}
			for i, g := range guard {
				got, guarded := s.GuardOf(base + consistency.Addr(i))
				if guarded != (g < vars) || guarded && got != g {
					t.Fatalf("seed %d: %d guards byte %d (%v), want %d", seed, got, i, guarded, g)
				}
			}
			for v := range syncvar.ID(vars) {
				if bytes, _ := s.Extent(v); bytes != len(positions(guard, v)) {
					t.Fatalf("seed %d: %d guards %d bytes, want %d", seed, v, bytes, len(positions(guard, v)))
				}
				if newer := s.Newer(v, 0); slices.Contains(want, v) && len(newer) > 0 {
					t.Fatalf("seed %d: after Rebind %d has %v", seed, v, newer)
				}
			}
		}
	}
}

// positions returns the indices of v in list.
func positions(list []syncvar.ID, v syncvar.ID) (at []int) {
	for i, g := range list {
		if g == v {
			at = append(at, i)
		}
	}
	return at
}

// TestRebindTwins: a tenure after Rebind finds its writes, by every method, and the twins of
// former ranges are freed.
func TestRebindTwins(t *testing.T) {
	for _, by := range []consistency.Detection{consistency.DetectTwin, consistency.DetectKept} {
		s, base, mem := newSpace(t, 3*consistency.PageBytes)
		s.Detect(by, nil, 0)
		end := base + consistency.Addr(len(mem))
		a, b := bind(t, s, "a", rng(base, base+8000)), bind(t, s, "b", rng(base+8000, end))
		version := syncvar.Version(0)
		for cut := consistency.Addr(1000); cut < 10000; cut += 700 {
			r, err := s.Rebinding([]syncvar.ID{b, a}, [][]consistency.Range{{rng(base+cut, end)}, {rng(base, base+cut)}})
			if err != nil {
				t.Fatal(err)
			}
			s.Rebind(r)
			version++
			s.BeginWrite(a, nil)
			s.BeginWrite(b, nil)
			mem[cut-1]++
			mem[cut]++
			s.EndWrite(a, version)
			s.EndWrite(b, version)
			for id, want := range map[syncvar.ID]consistency.Range{a: rng(base+cut-1, base+cut), b: rng(base+cut, base+cut+1)} {
				if got := s.Newer(id, 0); len(got) != 1 || got[0].Lo > want.Lo || got[0].Hi < want.Hi || got[0].Len() > 8 || got[0].Version != version {
					t.Fatalf("%v, cut %d: %v was written, want %v", by, cut, got, want)
				}
			}
		}
		if got, most := s.Writes().TwinBytes, len(mem); got > most {
			t.Errorf("%v: twins of %d bytes at a time, want at most %d", by, got, most)
		}
	}
}

// TestRebindErrors: bytes cannot be lost, added or guarded twice, whatever the order of ranges.
func TestRebindErrors(t *testing.T) {
	s, base, _ := newSpace(t, 100)
	a, b := bind(t, s, "a", rng(base, base+20), rng(base+30, base+40)), bind(t, s, "b", rng(base+20, base+30))
	bind(t, s, "c", rng(base+50, base+60))
	for _, c := range []struct {
		a, b []consistency.Range
		want string
	}{
		{[]consistency.Range{rng(base, base+40)}, nil, `rebind "b": no range`},
		{[]consistency.Range{rng(base, base+40)}, []consistency.Range{rng(base+200, base+210)}, "outside every region"},
		{[]consistency.Range{rng(base+1, base+20)}, []consistency.Range{rng(base+20, base+40)}, "no variable would guard mem[0:1] any more"},
		{[]consistency.Range{rng(base, base+20)}, []consistency.Range{rng(base+20, base+39)}, "no variable would guard mem[39:40] any more"},
		{[]consistency.Range{rng(base, base+20)}, []consistency.Range{rng(base+25, base+40)}, "no variable would guard mem[20:25] any more"},
		{[]consistency.Range{rng(base, base+20)}, []consistency.Range{rng(base+20, base+51)}, "none of the variables guards mem[40:51] so far"},
		{[]consistency.Range{rng(base, base+20), rng(base+55, base+57)}, []consistency.Range{rng(base+20, base+40)}, "none of the variables guards mem[55:57] so far"},
		{[]consistency.Range{rng(base, base+21)}, []consistency.Range{rng(base+20, base+40)}, "mem[20:21] is in two ranges"},
		{[]consistency.Range{rng(base, base+20), rng(base, base+1)}, []consistency.Range{rng(base+20, base+40)}, "mem[0:1] is in two ranges"},
	} {
		if _, err := s.Rebinding([]syncvar.ID{a, b}, [][]consistency.Range{c.a, c.b}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if _, err := s.Rebinding([]syncvar.ID{b, b}, [][]consistency.Range{{rng(base+20, base+25)}, {rng(base+25, base+30)}}); err == nil || !strings.Contains(err.Error(), `"b": it is named twice`) {
		t.Errorf("error %v, want that b is named twice", err)
	}
}
