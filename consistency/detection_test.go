package consistency_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/syncvar"
)

// fakePage is the size of a page. It is small, so that variables have many pages and share some.
const fakePage = 256

// fakePages is a Pages that finds written pages by comparison with a copy. It also reports some
// pages that were not written, and fails now and then.
type fakePages struct {
	mem, was []byte
	random   *rand.Rand
	fails    bool
	asked    int
}

// span returns the range of pages that part touches.
func (f *fakePages) span(part []byte) (at, lo, hi int) {
	at = int(uintptr(unsafe.Pointer(unsafe.SliceData(part))) - uintptr(unsafe.Pointer(unsafe.SliceData(f.mem))))
	return at, at / fakePage * fakePage, min((at+len(part)+fakePage-1)/fakePage*fakePage, len(f.mem))
}

func (f *fakePages) Forget(part []byte) error {
	f.asked++
	if f.fails && f.random.IntN(200) == 0 {
		return errors.New("no more")
	}
	_, lo, hi := f.span(part)
	copy(f.was[lo:hi], f.mem[lo:hi])
	return nil
}

func (f *fakePages) Written(part []byte, found func(lo, hi int)) error {
	at, lo, hi := f.span(part)
	for ; lo < hi; lo += fakePage {
		if f.fails && f.random.IntN(20) == 0 {
			return errors.New("no more")
		}
		end := min(lo+fakePage, hi)
		if !bytes.Equal(f.mem[lo:end], f.was[lo:end]) || f.random.IntN(5) == 0 {
			found(max(lo-at, 0), min(end-at, len(part)))
		}
	}
	return nil
}

// replica is one rank's copy in a random sequence of tenures.
type replica struct {
	*consistency.Space
	mem  []byte
	have [3]syncvar.Version // the version of the copy, by variable
}

func newReplica(t *testing.T, by consistency.Detection, keep int, random *rand.Rand) *replica {
	t.Helper()
	const size = 50_000
	s, base, mem := newSpace(t, size)
	pages := &fakePages{mem: mem, was: make([]byte, size), random: random, fails: true}
	s.Detect(by, pages, keep)
	t.Cleanup(func() {
		if asked := pages.asked > 0; asked != (by == consistency.DetectKernel) {
			t.Errorf("%v: Pages were used: %v", by, asked)
		}
	})
	bind(t, s, "a", rng(base, base+1000), rng(base+1100, base+20_030))
	bind(t, s, "b", rng(base+1000, base+1100), rng(base+20_030, base+20_031), rng(base+30_000, base+size))
	bind(t, s, "c", rng(base+20_031, base+30_000))
	return &replica{Space: s, mem: mem}
}

// tenure is a tenure of several variables, all of which begin before the first write. The writes
// to some variables are declared.
func (r *replica) tenure(t *testing.T, held []syncvar.ID, version syncvar.Version, random *rand.Rand) {
	t.Helper()
	writable := make([][]consistency.Range, len(held))
	for i, id := range held {
		writable[i] = r.Ranges(id)
		var declared []consistency.Range
		if random.IntN(4) == 0 {
			g := writable[i][0]
			var err error
			declared, err = r.Declare(id, []consistency.Range{{Lo: g.Lo + consistency.Addr(random.IntN(g.Len())), Hi: g.Hi}})
			if err != nil {
				t.Fatal(err)
			}
			writable[i] = declared
		}
		r.BeginWrite(id, declared)
	}
	for _, ranges := range writable {
		for range random.IntN(6) {
			b := r.Bytes(ranges[random.IntN(len(ranges))])
			lo := random.IntN(len(b))
			for i := lo; i < min(lo+1+random.IntN(9000), len(b)); i++ {
				b[i] = byte(random.IntN(3)) // often the old value
			}
		}
	}
	for _, id := range held {
		r.EndWrite(id, version)
		r.have[id] = version
	}
}

// fetch makes the copy of a variable equal to its owner's.
func (r *replica) fetch(id syncvar.ID, owner *replica) (current bool) {
	pieces := owner.Newer(id, r.have[id])
	for _, p := range pieces {
		copy(r.Bytes(p.Range), owner.Bytes(p.Range))
	}
	r.Accept(id, pieces)
	for _, g := range r.Ranges(id) {
		if !bytes.Equal(r.Bytes(g), owner.Bytes(g)) {
			return false
		}
	}
	return true
}

// play gives two ranks random tenures, each after a fetch. It returns the pieces that every tenure
// found.
func play(t *testing.T, by consistency.Detection, keep int, seed uint64) (found [][]consistency.Piece) {
	t.Helper()
	random, other := rand.New(rand.NewPCG(seed, 0)), rand.New(rand.NewPCG(seed, 1))
	ranks := [2]*replica{newReplica(t, by, keep, other), newReplica(t, by, keep, other)}
	owners := [3]*replica{ranks[0], ranks[0], ranks[0]}
	for version := syncvar.Version(1); version < 40; version++ {
		r := ranks[random.IntN(2)]
		var held []syncvar.ID
		for id := range syncvar.ID(3) {
			if random.IntN(2) == 0 {
				continue
			}
			if owners[id] != r && !r.fetch(id, owners[id]) {
				t.Fatalf("%v, seed %d, version %d: %q differs from its owner's copy", by, seed, version, r.Name(id))
			}
			held, owners[id] = append(held, id), r
		}
		r.tenure(t, held, version, random)
		for _, id := range held {
			found = append(found, r.Newer(id, version-1))
		}
	}
	return found
}

// TestDetectionsFindTheSame checks that all Detections but DetectDeclared find the same pieces,
// however many bytes of twins are kept.
func TestDetectionsFindTheSame(t *testing.T) {
	for seed := range uint64(60) {
		want := play(t, consistency.DetectTwin, 0, seed)
		for _, by := range []consistency.Detection{consistency.DetectAuto, consistency.DetectKept, consistency.DetectKernel} {
			for _, keep := range []int{0, 30_000, -1} {
				if got := play(t, by, keep, seed); !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d: %v, with twins of %d bytes, finds other pieces than %v", seed, by, keep, consistency.DetectTwin)
				}
			}
		}
		play(t, consistency.DetectDeclared, 0, seed)
	}
}

// TestKeptTwinCopiesNothing checks that a tenure with a kept twin copies only pages that have
// arrived from other ranks.
func TestKeptTwinCopiesNothing(t *testing.T) {
	const size = 100_000
	s, base, mem := newSpace(t, size)
	id := bind(t, s, "v", rng(base, base+size))
	s.Detect(consistency.DetectKept, nil, 0)
	tenure := func(version syncvar.Version, at int) []consistency.Piece {
		s.BeginWrite(id, nil)
		mem[at]++
		s.EndWrite(id, version)
		return s.Newer(id, version-1)
	}
	tenure(1, 10)
	mem[50_000]++ // no rank may write here; only a new twin would contain the change
	mem[70_000]++ // arrives from another rank, so the change is no write of this tenure
	s.Accept(id, []consistency.Piece{{Range: rng(base+70_000, base+70_001), Version: 2}})
	got := tenure(3, 20)
	want := []consistency.Piece{
		{Range: rng(base+16, base+24), Version: 3},
		{Range: rng(base+50_000, base+50_008), Version: 3},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the pieces are %v, want %v", got, want)
	}
	mem[70_000]++
	if got := tenure(4, 30); len(got) != 2 || got[1].Lo != base+70_000 {
		t.Errorf("%v: a page was copied again that had arrived before the last tenure", got)
	}
}

// TestValueThatReturns: when a write gives a byte the value that it had before a piece arrived
// from another rank, the write is found. The piece covers various parts of pages.
func TestValueThatReturns(t *testing.T) {
	const size, page = 3 * consistency.PageBytes, consistency.PageBytes
	for _, lo := range []int{page - 9, page - 1, page, page + 1, 2*page - 1} {
		for _, n := range []int{1, 2, 8, 10, page, page + 1} {
			s, base, mem := newSpace(t, size)
			id := bind(t, s, "v", rng(base, base+size))
			s.Detect(consistency.DetectKept, nil, 0)
			s.BeginWrite(id, nil)
			s.EndWrite(id, 1) // from now on the twin is kept
			piece := rng(base+consistency.Addr(lo), base+consistency.Addr(lo+n))
			for i := lo; i < lo+n; i++ {
				mem[i]++
			}
			s.Accept(id, []consistency.Piece{{Range: piece, Version: 2}})
			s.BeginWrite(id, nil)
			for i := lo; i < lo+n; i++ {
				mem[i]-- // what it was when the twin was made
			}
			s.EndWrite(id, 3)
			covered := piece.Lo
			for _, p := range s.Newer(id, 2) {
				if p.Lo <= covered {
					covered = max(covered, p.Hi)
				}
			}
			if covered < piece.Hi {
				t.Errorf("after a piece of %d bytes at %d, the writes to it are found as %v", n, lo, s.Newer(id, 2))
			}
		}
	}
}

// TestAutoChooses checks the choices of DetectAuto: no kept twin for small variables, kept twins
// for others, and Pages for large variables while few of their pages are written.
func TestAutoChooses(t *testing.T) {
	const size = 1 << 20
	for _, test := range []struct {
		what    string
		bytes   int
		ranges  int
		stride  int // the tenure writes every stride-th byte
		watched bool
		want    consistency.Writes
	}{
		{"a word", 8, 1, 1, true, consistency.Writes{Twin: 10, TwinBytes: 8}},
		{"some pages, one of them written", 64 << 10, 1, 64 << 10, true, consistency.Writes{Kept: 10, TwinBytes: 64 << 10}},
		{"many pages, few of them written", size, 1, size / 2, true, consistency.Writes{Kept: 3, Kernel: 7, TwinBytes: size}},
		{"many pages, all of them written", size, 1, 4096, true, consistency.Writes{Kept: 10, TwinBytes: size}},
		{"many short ranges", size, 100, size / 2, true, consistency.Writes{Kept: 10, TwinBytes: size}},
		{"pages that nobody watches", size, 1, size / 2, false, consistency.Writes{Kept: 10, TwinBytes: size}},
	} {
		s, base, mem := newSpace(t, size+100)
		var pages consistency.Pages
		if test.watched {
			pages = &fakePages{mem: mem, was: make([]byte, len(mem)), random: rand.New(rand.NewPCG(1, 1))}
		}
		s.Detect(consistency.DetectAuto, pages, 0)
		var ranges []consistency.Range
		length := test.bytes / test.ranges
		for i := range test.ranges {
			lo := base + consistency.Addr(i*(length+1))
			ranges = append(ranges, rng(lo, lo+consistency.Addr(length)))
		}
		id := bind(t, s, "v", ranges...)
		for version := range syncvar.Version(10) {
			s.BeginWrite(id, nil)
			for i := 0; i < test.bytes; i += test.stride {
				mem[i]++
			}
			s.EndWrite(id, version+1)
		}
		test.want.TwinBytes = length * test.ranges
		if got := s.Writes(); got != test.want {
			t.Errorf("%s: Writes %+v, want %+v", test.what, got, test.want)
		}
	}
}

// TestTwinsAboveTheLimit checks that a twin above the limit is freed when a tenure ends, and
// copied when the next begins.
func TestTwinsAboveTheLimit(t *testing.T) {
	s, base, mem := newSpace(t, 3000)
	ids := []syncvar.ID{bind(t, s, "a", rng(base, base+1000)), bind(t, s, "b", rng(base+1000, base+3000))}
	s.Detect(consistency.DetectKept, nil, 1500)
	for version := range syncvar.Version(5) {
		for i, id := range ids {
			s.BeginWrite(id, nil)
			mem[i*1000+int(version)*100]++
			s.EndWrite(id, version+1)
			if got := s.Newer(id, version); len(got) != 1 {
				t.Errorf("version %d of %q: %v", version+1, s.Name(id), got)
			}
		}
		mem[2900]++ // no rank may write here; a kept twin would not contain the change
	}
	if got, want := s.Writes(), (consistency.Writes{By: consistency.DetectKept, Kept: 10, TwinBytes: 3000}); got != want {
		t.Errorf("Writes %+v, want %+v", got, want)
	}
}

// TestDetectionNames checks that every name is parsed, and that an unknown name is an error.
func TestDetectionNames(t *testing.T) {
	for by := consistency.DetectAuto; by <= consistency.DetectDeclared; by++ {
		text, err := json.Marshal(by)
		var got consistency.Detection
		if err == nil {
			err = json.Unmarshal(text, &got)
		}
		if err != nil || got != by {
			t.Errorf("%s is parsed as %v, error %v", text, got, err)
		}
	}
	const want = `write detection "twins": want auto, twin, kept, kernel or declared`
	if _, err := consistency.ParseDetection("twins"); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
