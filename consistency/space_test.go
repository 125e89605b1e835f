package consistency_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/syncvar"
)

func rng(lo, hi consistency.Addr) consistency.Range { return consistency.Range{Lo: lo, Hi: hi} }

// newSpace returns a space with one region of n bytes.
func newSpace(t testing.TB, n int) (*consistency.Space, consistency.Addr, []byte) {
	t.Helper()
	s := consistency.NewSpace()
	mem := make([]byte, n)
	base, err := s.AddRegion("mem", fmt.Sprint(n), 1, mem)
	if err != nil {
		t.Fatal(err)
	}
	return s, base, mem
}

func bind(t testing.TB, s *consistency.Space, name string, ranges ...consistency.Range) syncvar.ID {
	t.Helper()
	id, err := s.Bind(name, ranges)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestBindFindsOverlaps(t *testing.T) {
	s, base, _ := newSpace(t, 10000)
	bind(t, s, "a", rng(base+100, base+200), rng(base+300, base+400))
	bind(t, s, "b", rng(base+200, base+300)) // touches two other ranges
	for _, r := range []consistency.Range{
		rng(base+100, base+101), rng(base+199, base+200), rng(base+50, base+101), rng(base+399, base+500),
		rng(base+250, base+260), rng(base, base+1000), rng(base+150, base+350),
	} {
		if _, err := s.Bind("x", []consistency.Range{r}); err == nil || !strings.Contains(err.Error(), "is bound to") {
			t.Errorf("bind %v: error %v", r, err)
		}
	}
	for _, r := range []consistency.Range{rng(base+10, base+10), rng(base+20, base+10), rng(0, 10), rng(base+9999, base+10001), rng(1<<47, 1<<47+1)} {
		if _, err := s.Bind("x", []consistency.Range{r}); err == nil || !strings.Contains(err.Error(), "outside every region") {
			t.Errorf("bind %v: error %v", r, err)
		}
	}
	if _, err := s.Bind("x", []consistency.Range{rng(base+500, base+600), rng(base+599, base+700)}); err == nil {
		t.Error("a variable's ranges overlap")
	}
	bind(t, s, "x", rng(base+500, base+600)) // the failed calls have bound nothing
}

// TestTouchingRangesAreOne writes across the border of two ranges of a variable. The changes are
// one piece, which the variable guards.
func TestTouchingRangesAreOne(t *testing.T) {
	s, base, mem := newSpace(t, 1000)
	id := bind(t, s, "v", rng(base+100, base+200), rng(base, base+100))
	s.BeginWrite(id, nil)
	for i := range 200 {
		mem[i] = 1
	}
	s.EndWrite(id, 1)
	for _, p := range s.Newer(id, 0) {
		if guard, _, err := s.Guard(p.Range); err != nil || guard != id {
			t.Errorf("%v: guard %d, error %v", p, guard, err)
		}
	}
}

func TestGuard(t *testing.T) {
	s, base, mem := newSpace(t, 10000)
	a := bind(t, s, "a", rng(base+100, base+200))
	b := bind(t, s, "b", rng(base+200, base+300))
	mem[150] = 7
	id, got, err := s.Guard(rng(base+150, base+151))
	if err != nil || id != a || !bytes.Equal(got, []byte{7}) {
		t.Errorf("guard is %d, memory %v, error %v", id, got, err)
	}
	if id, got, err := s.Guard(rng(base+200, base+200)); err != nil || id != b || len(got) != 0 {
		t.Errorf("guard of an empty range is %d, memory %v, error %v", id, got, err)
	}
	for at, want := range map[consistency.Addr]string{99: "", 100: "a", 199: "a", 200: "b", 299: "b", 300: ""} {
		if id, ok := s.GuardOf(base + at); ok != (want != "") || ok && s.Name(id) != want {
			t.Errorf("the guard of byte %d is %q, %v, want %q", at, s.Name(id), ok, want)
		}
	}
	for _, r := range []consistency.Range{
		rng(base+99, base+101), rng(base+199, base+201), rng(base+299, base+301), rng(base+300, base+300),
		rng(base+150, base+140), rng(0, 1), rng(base+5000, base+5001), rng(1<<48-1, 1<<48+5),
	} {
		if _, _, err := s.Guard(r); err == nil {
			t.Errorf("range %v has a guard, want none", r)
		}
	}
}

// TestRegionsLieApart checks that every region begins at a page and has an unused page before it.
func TestRegionsLieApart(t *testing.T) {
	s := consistency.NewSpace()
	page := consistency.Addr(1)
	for i, n := range []int{1, 4095, 4096, 4097, 10} {
		base, err := s.AddRegion(fmt.Sprint(i), "", 1, make([]byte, n))
		if err != nil {
			t.Fatal(err)
		}
		if base != page*consistency.PageBytes {
			t.Errorf("region %d begins at %#x, want page %d", i, base, page)
		}
		page += consistency.Addr(n+consistency.PageBytes-1)/consistency.PageBytes + 1
	}
}

// TestNamesDiffer checks that empty and repeated names are errors.
func TestNamesDiffer(t *testing.T) {
	s, base, _ := newSpace(t, 100)
	bind(t, s, "mem", rng(base, base+1)) // a variable may have the name of an array
	for want, declare := range map[string]func() error{
		`there is an array "mem" already`:   func() error { _, err := s.AddRegion("mem", "", 1, make([]byte, 1)); return err },
		"an array needs a name":             func() error { _, err := s.AddRegion("", "", 1, make([]byte, 1)); return err },
		`region "none": 0 bytes do not fit`: func() error { _, err := s.AddRegion("none", "", 1, nil); return err },
		`there is a variable "mem" already`: func() error { _, err := s.Bind("mem", []consistency.Range{rng(base+9, base+10)}); return err },
		`bind "v": no range`:                func() error { _, err := s.Bind("v", nil); return err },
	} {
		if err := declare(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("declaration with a bad name: error %v, want %q", err, want)
		}
	}
	if s.Declared() != 2 {
		t.Errorf("failed declarations count: %d declarations", s.Declared())
	}
}

func TestDigestTellsDeclarationsApart(t *testing.T) {
	const base = consistency.PageBytes
	seen := make(map[uint64]string)
	for what, declare := range map[string]func(s *consistency.Space){
		"":                         func(*consistency.Space) {},
		"a":                        func(s *consistency.Space) { bind(t, s, "a", rng(base, base+10), rng(base+20, base+30)) },
		"another name":             func(s *consistency.Space) { bind(t, s, "b", rng(base, base+10), rng(base+20, base+30)) },
		"another end":              func(s *consistency.Space) { bind(t, s, "a", rng(base, base+11), rng(base+20, base+30)) },
		"another second range":     func(s *consistency.Space) { bind(t, s, "a", rng(base, base+10), rng(base+21, base+30)) },
		"another second range end": func(s *consistency.Space) { bind(t, s, "a", rng(base, base+10), rng(base+20, base+31)) },
		"another before a": func(s *consistency.Space) {
			bind(t, s, "b", rng(base+40, base+41))
			bind(t, s, "a", rng(base, base+10), rng(base+20, base+30))
		},
	} {
		s, _, _ := newSpace(t, 100)
		first := s.Digest(1)
		declare(s)
		digest := s.Digest(s.Declared())
		if other, ok := seen[digest]; ok || s.Digest(1) != first {
			t.Errorf("%q and %q have digest %x; before it %x", what, other, digest, first)
		}
		seen[digest] = what
	}
}

// TestCheckSame checks the errors for ranks with different declarations.
func TestCheckSame(t *testing.T) {
	s, base, _ := newSpace(t, 100)
	bind(t, s, "a", rng(base, base+10))
	for declared, want := range []string{
		"one of declarations 1 to 0 differs",
		`one of declarations 1 to 1 differs`,
		`one of declarations 1 to 2 differs`,
	} {
		digest := s.Digest(declared)
		if err := s.CheckSame(3, 4, 0, uint32(declared), digest); err != nil {
			t.Errorf("%d equal declarations: error %v", declared, err)
		}
		if err := s.CheckSame(3, 4, 0, uint32(declared), digest+1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d different declarations: error %v, want %q", declared, err, want)
		}
	}
	for declared, same := range []bool{false, false, true, false} {
		if err := s.CheckCount(3, 4, uint32(declared)); (err == nil) != same {
			t.Errorf("2 declarations here, %d at the other rank: error %v", declared, err)
		}
	}
}

// TestContent checks that the content of up to 8 bytes is the bytes themselves, and that the
// content of more bytes is a hash that depends on each of them.
func TestContent(t *testing.T) {
	s, base, mem := newSpace(t, 100)
	word := bind(t, s, "word", rng(base, base+3), rng(base+10, base+15))
	long := bind(t, s, "long", rng(base+20, base+24), rng(base+30, base+35))
	copy(mem, "\x01\x02\x03")
	copy(mem[10:], "\x04\x05\x06\x07\x08")
	if got := s.Content(word); got != 0x0807060504030201 {
		t.Errorf("8 bytes are %#x", got)
	}
	if got := s.Blank(word); got != 0 {
		t.Errorf("8 zeros are %#x", got)
	}
	if blank := s.Content(long); s.Blank(long) != blank {
		t.Errorf("9 zeros are %#x, want %#x", s.Blank(long), blank)
	} else if mem[20]++; s.Blank(long) != blank {
		t.Errorf("9 zeros are %#x beside other bytes, want %#x", s.Blank(long), blank)
	}
	mem[20]--
	seen := map[uint64]int{s.Content(long): 0}
	for _, i := range []int{20, 23, 30, 34} {
		mem[i]++
		if other, ok := seen[s.Content(long)]; ok {
			t.Errorf("after bytes %d and %d the content is %#x", i, other, s.Content(long))
		}
		seen[s.Content(long)] = i
	}
}

// TestTenuresOfAVariable checks that calls out of order panic.
func TestTenuresOfAVariable(t *testing.T) {
	s, base, _ := newSpace(t, 100)
	id := bind(t, s, "v", rng(base, base+10))
	panics := func(want string, f func()) {
		t.Helper()
		defer func() {
			if got, _ := recover().(string); got != want {
				t.Errorf("panic %q, want %q", got, want)
			}
		}()
		f()
	}
	panics(`consistency: no exclusive tenure of "v" to end`, func() { s.EndWrite(id, 1) })
	s.BeginWrite(id, nil)
	panics(`consistency: two exclusive tenures of "v" at once`, func() { s.BeginWrite(id, nil) })
	panics(`consistency: data for "v" arrived during its exclusive tenure`, func() { s.Accept(id, nil) })
	s.EndWrite(id, 1)
	s.Accept(id, nil)
}

// TestCopiesFollow gives several ranks random tenures. Each rank first fetches the newer bytes
// from the last writer, and then must have the same bytes.
func TestCopiesFollow(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		const ranks, size = 3, 3000
		spaces, mems, have := [ranks]*consistency.Space{}, [ranks][]byte{}, [ranks]syncvar.Version{}
		var base consistency.Addr
		for r := range spaces {
			spaces[r], base, mems[r] = newSpace(t, size)
			bind(t, spaces[r], "v", rng(base, base+1000), rng(base+1100, base+size))
		}
		owner, moved := 0, 0
		for version := syncvar.Version(1); version < 30; version++ {
			r := random.IntN(ranks)
			if r != owner {
				pieces := spaces[owner].Newer(0, have[r])
				for _, p := range pieces {
					copy(spaces[r].Bytes(p.Range), spaces[owner].Bytes(p.Range))
					moved += p.Len()
				}
				spaces[r].Accept(0, pieces)
			}
			if got := mems[r][1100:]; !bytes.Equal(got, mems[owner][1100:]) || !bytes.Equal(mems[r][:1000], mems[owner][:1000]) {
				t.Fatalf("seed %d, version %d: rank %d differs from rank %d", seed, version, r, owner)
			}
			var declared []consistency.Range
			declare := random.IntN(2) == 0
			spaces[r].BeginWrite(0, nil)
			if declare {
				spaces[r].EndWrite(0, version) // a tenure without changes
				declared = []consistency.Range{}
			}
			for range random.IntN(4) {
				lo := 1100 + random.IntN(size-1100)
				n := min(1+random.IntN(300), size-lo)
				for i := range n {
					mems[r][lo+i] = byte(random.Uint32())
				}
				declared = append(declared, rng(base+consistency.Addr(lo), base+consistency.Addr(lo+n)))
			}
			if declare {
				merged, err := spaces[r].Declare(0, declared)
				if err != nil {
					t.Fatal(err)
				}
				spaces[r].BeginWrite(0, merged)
			}
			spaces[r].EndWrite(0, version)
			have[r], owner = version, r
		}
		if moved == 0 {
			t.Fatalf("seed %d: no data moved", seed)
		}
	}
}

func TestDiffIsTight(t *testing.T) {
	tests := []struct {
		what    string
		changed []int
		want    []consistency.Range // relative to the region's base
	}{
		{"nothing", nil, nil},
		{"one byte: its word", []int{803}, []consistency.Range{rng(800, 808)}},
		{"the first and the last", []int{0, 999}, []consistency.Range{rng(0, 8), rng(992, 1000)}},
		{"neighbouring blocks", []int{60, 70}, []consistency.Range{rng(56, 72)}},
		{"a short gap travels along", []int{10, 120}, []consistency.Range{rng(8, 128)}},
		{"a long one does not", []int{10, 200}, []consistency.Range{rng(8, 16), rng(200, 208)}},
	}
	for _, test := range tests {
		s, base, mem := newSpace(t, 1000)
		id := bind(t, s, "v", rng(base, base+1000))
		s.BeginWrite(id, nil)
		for _, i := range test.changed {
			mem[i] = 1
		}
		if changed := s.EndWrite(id, 1); changed != (len(test.changed) > 0) {
			t.Errorf("%s: EndWrite returned %v", test.what, changed)
		}
		var got []consistency.Range
		for _, p := range s.Newer(id, 0) {
			got = append(got, rng(p.Lo-base, p.Hi-base))
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: the pieces are %v, want %v", test.what, got, test.want)
		}
	}
}

// TestNewerJoinsWhatIsNear checks which words of different tenures Newer joins.
func TestNewerJoinsWhatIsNear(t *testing.T) {
	s, base, mem := newSpace(t, 1000)
	id := bind(t, s, "v", rng(base, base+100), rng(base+110, base+1000))
	for i, at := range []int{80, 150, 300, 90, 120, 0, 30} {
		s.BeginWrite(id, nil)
		mem[at] = 1
		s.EndWrite(id, syncvar.Version(i+1))
	}
	want := []consistency.Piece{
		{Range: rng(base, base+96), Version: 7},
		{Range: rng(base+118, base+158), Version: 5}, // not joined: the gap is not guarded
		{Range: rng(base+294, base+302), Version: 3},
	}
	if got := s.Newer(id, 0); !reflect.DeepEqual(got, want) {
		t.Errorf("newer than 0 is %v, want %v", got, want)
	}
	if got := s.Newer(id, 4); len(got) != 2 || got[0].Range != rng(base, base+32) || got[1].Range != rng(base+118, base+126) {
		t.Errorf("newer than 4 is %v", got)
	}
}

func TestDeclareMerges(t *testing.T) {
	s, base, _ := newSpace(t, 1000)
	id := bind(t, s, "v", rng(base, base+500))
	got, err := s.Declare(id, []consistency.Range{rng(base+90, base+200), rng(base+10, base+20), rng(base+50, base+100), rng(base+20, base+30)})
	want := []consistency.Range{rng(base+10, base+30), rng(base+50, base+200)}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Declare returned %v, error %v, want %v", got, err, want)
	}
	if got, err := s.Declare(id, nil); got == nil || err != nil {
		t.Errorf("an empty declaration is %v, error %v: nil would mean a twin", got, err)
	}
	bind(t, s, "w", rng(base+500, base+600))
	for _, r := range []consistency.Range{rng(base+499, base+501), rng(base+500, base+501), rng(base+10, base+10)} {
		if _, err := s.Declare(id, []consistency.Range{r}); err == nil {
			t.Errorf("Declare accepted range %v, which is empty or not guarded by the variable", r)
		}
	}
}

func TestTwoVariablesShareAPage(t *testing.T) {
	s, base, mem := newSpace(t, 4096)
	a := bind(t, s, "a", rng(base, base+100))
	b := bind(t, s, "b", rng(base+100, base+200))
	s.BeginWrite(a, nil)
	mem[99], mem[100] = 1, 1 // variable a does not guard the second byte
	s.EndWrite(a, 1)
	if got := s.Newer(a, 0); len(got) != 1 || got[0].Hi != base+100 {
		t.Errorf("a's changes are %v", got)
	}
	if got := s.Newer(b, 0); got != nil {
		t.Errorf("b's changes are %v", got)
	}
}

// TestExtent checks the bound of Extent with as many separate pieces as a variable can have.
func TestExtent(t *testing.T) {
	s, base, mem := newSpace(t, 10_000)
	ranges := []consistency.Range{rng(base, base+1), rng(base+100, base+165), rng(base+200, base+266), rng(base+1000, base+3000)}
	id := bind(t, s, "v", ranges...)
	var declared []consistency.Range
	for _, r := range ranges {
		for lo := r.Lo; lo < r.Hi; lo += 65 {
			declared = append(declared, rng(lo, lo+1))
			mem[lo-base]++
		}
	}
	s.BeginWrite(id, declared)
	s.EndWrite(id, 1)
	bytes, pieces := s.Extent(id)
	if got := len(s.Newer(id, 0)); bytes != 1+65+66+2000 || pieces != 1+1+2+31 || got != pieces {
		t.Errorf("%d bytes, at most %d pieces, but there are %d", bytes, pieces, got)
	}
}
