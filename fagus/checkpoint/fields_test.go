package checkpoint

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
)

// cutOf returns a cut of one of two ranks. Its pieces have the given lengths, and gaps before
// them.
func cutOf(number uint64, rank int, version uint64, bytes ...int) fagus.Cut {
	c := fagus.Cut{Number: number, Start: 77, Rank: rank, Nodes: 2, State: []byte("3"), Arrays: []fagus.SavedArray{{Name: "a", Kind: "bytes", Element: 1, Bytes: 4 << 20}, {Name: "b", Kind: "bytes", Element: 1, Bytes: 4 << 20}}}
	at := 1000 + rank<<21
	for i, n := range bytes {
		data := make([]byte, n)
		for k := range data {
			data[k] = byte(uint64(k*7+i*31+rank*5) + version)
		}
		c.Pieces = append(c.Pieces, fagus.SavedPiece{Array: i % 2, Offset: at, Guard: uint64(i), Version: version, Data: data})
		at += n + 10
	}
	return c
}

// saved makes a checkpoint of two ranks. It refers to an earlier piece that has the same version.
func saved(t *testing.T, k *Keeper, cuts ...fagus.Cut) {
	t.Helper()
	for _, c := range cuts {
		if err := k.Save(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Commit(t.Context(), cuts[0].Number); err != nil {
		t.Fatal(err)
	}
}

// TestEveryByteCounts: whichever byte of a checkpoint is changed, opening it or reading it fails.
// The bytes are in its manifest, in the data, indexes and ends of its parts, and in an earlier
// part to which it refers. Two fields are exceptions: nobody reads the magic at the beginning,
// which is for people; and the number of the start is for Commit, and TestStartOfParts changes it.
func TestEveryByteCounts(t *testing.T) {
	s := newShelf()
	k := New(Config{Store: s, Keep: 9})
	saved(t, k, cutOf(1, 0, 1, 30, 40), cutOf(1, 1, 1, 50))
	second := cutOf(2, 0, 1, 30, 40)
	second.Pieces[1].Version = 2
	saved(t, k, second, cutOf(2, 1, 2, 50))
	check := func() error {
		o, err := Open(t.Context(), s, 2)
		if err != nil {
			return err
		}
		defer o.Close()
		return o.Verify()
	}
	if err := check(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{manifestName(2), partName(2, 0), partName(2, 1), partName(1, 0)} {
		whole := s.objects[name]
		first, end := 0, len(whole)
		if _, what := parseName(name); what == aPart {
			first = len(partMagic)
		}
		if name == partName(1, 0) { // only the piece that is referred to
			end = first + 30
		}
		for at := first; at < end; at++ {
			if run := end - len(partMagic) - 4; first > 0 && name != partName(1, 0) && at >= run && at < run+4 {
				continue
			}
			for _, change := range []byte{1, 0x80} {
				damaged := bytes.Clone(whole)
				damaged[at] ^= change
				s.objects[name] = damaged
				if check() == nil {
					t.Errorf("byte %d of the %d of %s: a change by %#x is not noticed", at, len(whole), name, change)
				}
			}
		}
		for _, cut := range []int{0, 1, len(whole) / 2, len(whole) - 1} {
			if s.objects[name] = whole[:cut]; check() == nil && name != partName(1, 0) {
				t.Errorf("%s cut to %d of %d bytes is not noticed", name, cut, len(whole))
			}
		}
		s.objects[name] = whole
	}
	if s.open != 0 {
		t.Errorf("%d readers are open", s.open)
	}
}

// TestIndexFields: an index with a wrong checksum is refused wherever it is read. The test changes
// each field of each entry, the list, and each field of the end that the checksum covers.
func TestIndexFields(t *testing.T) {
	for entries := range 4 {
		all := make([]entry, entries)
		for i := range all {
			all[i] = entry{Array: uint32(i), Object: uint32(i % 2), Offset: 9, At: 8, Bytes: 7, Sum: 5}
		}
		whole := part([]byte("seven b"), all, `["c00000006-00000.part"]`)
		if _, err := readIndex(memoryReader{bytes.NewReader(whole)}); err != nil {
			t.Fatal(err)
		}
		for at := len(partMagic) + 7; at < len(whole)-len(partMagic)-4; at++ {
			damaged := bytes.Clone(whole)
			damaged[at]++
			if x, err := readIndex(memoryReader{bytes.NewReader(damaged)}); err == nil {
				t.Errorf("with %d entries, a change of byte %d of %d is not noticed: %+v", entries, at, len(whole), x)
			}
		}
	}
}

// TestStartOfParts: Commit refuses a part of another start of the job, whichever byte differs.
func TestStartOfParts(t *testing.T) {
	for at := range 4 {
		s := newShelf()
		k := New(Config{Store: s})
		for _, c := range []fagus.Cut{cutOf(1, 0, 1, 30), cutOf(1, 1, 1, 30)} {
			if err := k.Save(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		b := s.objects[partName(1, 1)]
		b[len(b)-len(partMagic)-4+at]++
		if err := k.Commit(t.Context(), 1); err == nil {
			t.Errorf("a part of another start, which differs in byte %d, is committed", at)
		}
		if s.open != 0 {
			t.Errorf("%d readers are open", s.open)
		}
	}
}

// TestPiecesOfAllSizes: pieces are saved and read whole, whether they are shorter than the longest
// piece, as long, or one byte longer. Each byte can be read alone, into memory that is not empty.
func TestPiecesOfAllSizes(t *testing.T) {
	for _, n := range []int{1, pieceBytes - 1, pieceBytes, pieceBytes + 1, 2 * pieceBytes} {
		s := newShelf()
		k := New(Config{Store: s})
		c := cutOf(1, 0, 3, n)
		saved(t, k, c, cutOf(1, 1, 3))
		o, err := Open(t.Context(), s, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Verify(); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
		count := 0
		for range o.Pieces(0) {
			count++
		}
		if want := (n + pieceBytes - 1) / pieceBytes; count != want {
			t.Errorf("%d bytes are in %d pieces, want %d", n, count, want)
		}
		want := make([]byte, 4<<20)
		copy(want[1000:], c.Pieces[0].Data)
		for _, at := range [][2]int{{0, len(want)}, {999, 2}, {1000 + n - 1, 2}, {1000, n}, {1000 + n/2, 1}, {1000 + n, 5}, {0, 1000}} {
			got := bytes.Repeat([]byte{0xee}, at[1])
			if err := o.Read(0, at[0], got); err != nil || !bytes.Equal(got, want[at[0]:][:at[1]]) {
				t.Errorf("%d bytes: %d bytes at %d are wrong, error %v", n, at[1], at[0], err)
			}
		}
		o.Close()
		if s.open != 0 {
			t.Errorf("%d readers are open", s.open)
		}
	}
}

// TestReadBetween: bytes that were never saved, between pieces, read as 0, whatever the buffer
// held.
func TestReadBetween(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 9))
		want := make([]byte, 120)
		var data []byte
		var entries []entry
		for at := r.IntN(5); at < len(want); at += r.IntN(9) {
			n := min(1+r.IntN(12), len(want)-at)
			e := entry{Offset: uint64(at), At: uint64(8 + len(data)), Bytes: uint32(n)}
			for i := range n {
				want[at+i] = byte(1 + r.IntN(255))
			}
			data = append(data, want[at:at+n]...)
			e.Sum = checksum(want[at : at+n])
			entries, at = append(entries, e), at+n
		}
		r.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
		o, err := Open(t.Context(), stored(t, part(data, entries, "null"), sevenBytes(len(want))), 7)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for lo := range len(want) {
			for hi := lo; hi <= len(want); hi += 1 + r.IntN(7) {
				got := bytes.Repeat([]byte{0xee}, hi-lo)
				if err := o.Read(0, lo, got); err != nil || !bytes.Equal(got, want[lo:hi]) {
					t.Fatalf("seed %d: bytes %d to %d are %x, want %x, error %v", seed, lo, hi, got, want[lo:hi], err)
				}
			}
		}
	}
}

// TestOverlaps: pieces may touch, but must not share a byte, whichever comes first.
func TestOverlaps(t *testing.T) {
	data := []byte("0123456789")
	e := func(offset, n int) entry {
		return entry{Offset: uint64(offset), At: 8, Bytes: uint32(n), Sum: checksum(data[:n])}
	}
	for _, c := range []struct {
		a, b  entry
		valid bool
	}{
		{e(0, 5), e(5, 5), true}, {e(0, 5), e(4, 5), false}, {e(0, 10), e(3, 2), false}, {e(3, 2), e(3, 2), false},
		{e(0, 1), e(9, 1), true}, {e(0, 1), e(9, 2), false}, {e(0, 1), e(10, 1), false},
	} {
		for _, entries := range [][]entry{{c.a, c.b}, {c.b, c.a}} {
			o, err := Open(t.Context(), stored(t, part(data, slices.Clone(entries), "null"), sevenBytes(10)), 7)
			if (err == nil) != c.valid {
				t.Errorf("%d bytes at %d and %d at %d in an array of 10: %v, want it valid: %t", c.a.Bytes, c.a.Offset, c.b.Bytes, c.b.Offset, err, c.valid)
			}
			if err == nil {
				o.Close()
			}
		}
	}
}

// TestPiecesDiffer: a piece counts as saved only if everything that distinguishes pieces is equal:
// each field of SavedPiece but the data, and their length.
func TestPiecesDiffer(t *testing.T) {
	base := fagus.SavedPiece{Array: 1, Offset: 64, Guard: 3, Version: 9, Data: []byte("eight by")}
	m, err := (*memory)(nil).write(&shelfWriter{shelf: newShelf()}, partName(1, 0), fagus.Cut{Pieces: []fagus.SavedPiece{base}})
	if err != nil || !m.has(base) {
		t.Fatalf("what was saved is not known: %v", err)
	}
	kind := reflect.TypeFor[fagus.SavedPiece]()
	for i := range kind.NumField() {
		other := base
		v := reflect.ValueOf(&other).Elem().Field(i)
		switch v.Kind() {
		case reflect.Int:
			v.SetInt(v.Int() + 1)
		case reflect.Uint64:
			v.SetUint(v.Uint() + 1)
		case reflect.Slice:
			v.SetBytes([]byte("seven b"))
		default:
			t.Fatalf("the test does not know fields like %s", kind.Field(i).Name)
		}
		if m.has(other) {
			t.Errorf("a piece with another %s counts as saved", kind.Field(i).Name)
		}
	}
	other := base
	other.Data = []byte("other 8!")
	if !m.has(other) {
		t.Error("data of the same version count as others")
	}
}

// TestGarbage: a rank saves everything anew when its parts have more than twice the bytes that it
// owns. All parts that it refers to count.
func TestGarbage(t *testing.T) {
	cut := fagus.Cut{Pieces: []fagus.SavedPiece{{Data: make([]byte, 100)}, {Data: make([]byte, 50)}}}
	live := int64(150 + 2*entryBytes)
	for _, objects := range []map[string]int64{{"a": 2 * live}, {"a": live, "b": live}, {"a": live, "b": live - 1, "c": 1}} {
		m := &memory{objects: objects}
		if m.garbage(cut) {
			t.Errorf("%v: garbage for a cut of %d bytes", objects, live)
		}
		if objects["a"]++; !m.garbage(cut) {
			t.Errorf("%v: no garbage for a cut of %d bytes", objects, live)
		}
	}
	var m *memory
	var sizes []int64
	for number := uint64(1); number <= 4; number++ {
		c := cutOf(number, 0, 1, 30, 40, 50, 60)
		c.Pieces[number-1].Version = number + 1
		for i := range c.Pieces[:number-1] {
			c.Pieces[i].Version = uint64(i) + 2
		}
		w := &shelfWriter{shelf: newShelf()}
		next, err := m.write(w, partName(number, 0), c)
		if err != nil {
			t.Fatal(err)
		}
		m, sizes = next, append(sizes, int64(w.Len()))
		for name, bytes := range m.objects {
			if of, _ := parseName(name); bytes != sizes[of-1] {
				t.Errorf("after checkpoint %d, part %s has %d bytes, want %d", number, name, bytes, sizes[of-1])
			}
		}
	}
	if len(m.objects) != 4 {
		t.Errorf("the last part refers to %d parts: want one of each checkpoint", len(m.objects))
	}
}

// TestCopies: a rank copies up to the limit, and not a byte more. The copy does not change when
// the program goes on, and one buffer serves cuts of all sizes in any order.
func TestCopies(t *testing.T) {
	for _, sizes := range [][]int{{10, 20, 30}, {30, 10}, {5, 100, 7, 101, 6}} {
		r := new(rank)
		for i, n := range sizes {
			c := cutOf(uint64(i+1), 0, uint64(i+1), n, n/2)
			want := cutOf(uint64(i+1), 0, uint64(i+1), n, n/2)
			if r.copyOf(&c, int64(n+n/2-1)) {
				t.Errorf("%d bytes are copied where %d may be", n+n/2, n+n/2-1)
			}
			program := [][]byte{c.Pieces[0].Data, c.Pieces[1].Data}
			if !r.copyOf(&c, int64(n+n/2)) {
				t.Fatalf("%d bytes are not copied where as many may be", n+n/2)
			}
			clear(program[0])
			clear(program[1])
			if !reflect.DeepEqual(c, want) {
				t.Errorf("sizes %v: copy %d is damaged", sizes, i)
			}
		}
	}
}

// TestInputs: a checkpoint of another input is refused: with other texts, and with fewer or more.
func TestInputs(t *testing.T) {
	for _, c := range []struct {
		made, now []string
		same      bool
	}{
		{[]string{"--n=1"}, []string{"--n=1"}, true}, {nil, []string{"--n=1"}, true}, {[]string{"--n=1"}, nil, true},
		{[]string{"--n=1"}, []string{"--n=2"}, false}, {[]string{"--n=1"}, []string{"--n=1", "--m"}, false}, {[]string{"--n=1", "--m"}, []string{"--n=1"}, false},
		{[]string{"--n=1", "--m=2"}, []string{"--n=1", "--m=3"}, false}, {[]string{"--n=1", "--m=2"}, []string{"--n=2", "--m=2"}, false},
	} {
		s := newShelf()
		saved(t, New(Config{Store: s, Input: c.made}), cutOf(1, 0, 1, 8), cutOf(1, 1, 1, 8))
		o, err := New(Config{Store: s, Input: c.now}).Open(t.Context(), 1)
		unlike := new(fagus.UnlikeError)
		if (err == nil) != c.same || err != nil && !errors.As(err, &unlike) {
			t.Errorf("made with %q, opened with %q: %v", c.made, c.now, err)
		}
		if err == nil {
			o.Close()
		}
		if s.open != 0 {
			t.Errorf("%d readers are open", s.open)
		}
	}
}

// TestNewestOfSeveral: among checkpoints with any numbers in any order, the newest below a number
// is found. The number of any existing object is not used again.
func TestNewestOfSeveral(t *testing.T) {
	for seed := range uint64(20) {
		s, r := newShelf(), rand.New(rand.NewPCG(seed, 1))
		numbers := []uint64{1, 2, 9, 10, 99_999_999, 100_000_000, 1 << 40}
		numbers = numbers[:1+r.IntN(len(numbers))]
		for _, n := range numbers {
			s.objects[manifestName(n)] = []byte("x")
		}
		last := numbers[len(numbers)-1]
		part := last + uint64(r.IntN(3))
		s.objects[partName(part, r.IntN(3))] = []byte("x")
		s.objects["c00000005.manifesto"], s.objects["c5.manifest"], s.objects["lock2"] = nil, nil, nil
		k := New(Config{Store: s})
		for _, below := range append(slices.Clone(numbers), 0, 3, last+1, 1<<62) {
			want := uint64(0)
			for _, n := range numbers {
				if n < below {
					want = n
				}
			}
			if got, err := k.Newest(t.Context(), below); got != want || err != nil {
				t.Errorf("seed %d: the newest of %v below %d is %d, %v: want %d", seed, numbers, below, got, err, want)
			}
		}
		if number, _, err := New(Config{Store: s}).Due(t.Context(), fagus.Time(1)); err != nil || number != max(last, part)+1 {
			t.Errorf("seed %d: the next number after manifests %v and a part of %d is %d, %v", seed, numbers, part, number, err)
		}
	}
}

// TestNames: names have numbers from 1 to below mostNumber, and one form each.
func TestNames(t *testing.T) {
	for number, valid := range map[uint64]bool{0: false, 1: true, 99_999_999: true, 100_000_000: true, mostNumber - 1: true, mostNumber: false} {
		for what, name := range map[kind]string{aManifest: manifestName(number), aPart: partName(number, 100_000)} {
			if got, is := parseName(name); (is == what && got == number) != valid {
				t.Errorf("%s is kind %d with the number %d: want it valid: %t", name, is, got, valid)
			}
		}
	}
	for _, name := range []string{"c7.manifest", "c00000007.manifest ", "c00000007.manifes", "c00000007-1.part", "c00000007-00001.part2", "C00000007.manifest", "c-0000007.manifest", "c00000007--0001.part"} {
		if number, what := parseName(name); what != unknown {
			t.Errorf("%q counts as kind %d of checkpoint %d", name, what, number)
		}
	}
	for _, last := range []uint64{mostNumber - 2, mostNumber - 1} {
		s := newShelf()
		s.objects[manifestName(last)] = []byte("x")
		number, _, err := New(Config{Store: s}).Due(t.Context(), 1)
		if valid := last+1 < mostNumber; (err == nil) != valid || valid && number != last+1 {
			t.Errorf("after checkpoint %d comes %d, %v", last, number, err)
		}
	}
}

// TestManifestNumber: a manifest under the name of another checkpoint is refused, and so is one
// with more or fewer parts than ranks.
func TestManifestNumber(t *testing.T) {
	s := newShelf()
	saved(t, New(Config{Store: s}), cutOf(3, 0, 1, 8), cutOf(3, 1, 1, 8))
	for _, number := range []uint64{2, 4} {
		s.objects[manifestName(number)] = s.objects[manifestName(3)]
		if _, err := ReadManifest(t.Context(), s, number); err == nil {
			t.Errorf("the manifest of checkpoint 3 counts as that of %d", number)
		}
	}
	m, err := ReadManifest(t.Context(), s, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, parts := range [][]Part{m.Parts[:1], append(slices.Clone(m.Parts), Part{Name: partName(3, 2)}), {m.Parts[1], m.Parts[0]}} {
		other := *m
		other.Parts = parts
		text, err := other.encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeManifest(text, 3); err == nil {
			t.Errorf("a manifest of %d ranks with %d parts is accepted", m.Nodes, len(parts))
		}
	}
}

// TestDueAgain: the first checkpoint of a run is due when Every has passed in that run, and not
// earlier. This also holds for the second run of a process.
func TestDueAgain(t *testing.T) {
	const every = time.Second
	at := func(d time.Duration) fagus.Time { return fagus.Time(d.Nanoseconds()) * fagus.Nanosecond }
	k := New(Config{Store: newShelf(), Every: every})
	next := uint64(1)
	for run := range 3 {
		k.Begin(0)
		for _, c := range []struct {
			now time.Duration
			due bool
		}{{0, false}, {every - 1, false}, {every, true}, {every + 1, false}, {2*every - 1, false}, {2 * every, true}, {100 * every, true}} {
			number, stop, err := k.Due(t.Context(), at(c.now))
			if err != nil || stop || (number > 0) != c.due || c.due && number != next {
				t.Errorf("run %d, after %v: checkpoint %d, stop %t, %v; want one due: %t", run, c.now, number, stop, err, c.due)
			}
			if c.due {
				next++
			}
		}
	}
}

// TestGivenUp: when a checkpoint is given up, those before it are, too, and no others.
func TestGivenUp(t *testing.T) {
	k := New(Config{Store: newShelf()})
	k.GiveUp(5)
	k.GiveUp(3)
	for number, want := range map[uint64]bool{4: true, 5: true, 6: false} {
		if k.gaveUp(number) != want {
			t.Errorf("after 5 was given up, %d is: %t", number, !want)
		}
	}
	k.ranks[0], k.ranks[1] = &rank{lost: 7}, &rank{lost: 9}
	for number, want := range map[uint64]bool{7: true, 8: false} {
		if k.gaveUp(number) != want {
			t.Errorf("when rank 0 has lost its part of 7, %d is given up: %t", number, !want)
		}
	}
	k.Begin(0)
	if k.gaveUp(5) {
		t.Error("what a run before has given up still is")
	}
}

// TestKept: the newest checkpoints are kept, with the parts that they refer to, and nothing else.
func TestKept(t *testing.T) {
	for keep := 1; keep <= 3; keep++ {
		s := newShelf()
		k := New(Config{Store: s, Keep: keep})
		const last = 6
		for number := uint64(1); number <= last; number++ {
			first := cutOf(number, 0, number, 400, 30) // the first piece is saved once
			first.Pieces[0].Version = 1
			saved(t, k, first, cutOf(number, 1, number, 50))
		}
		for number := uint64(1); number <= last; number++ {
			kept := number > last-uint64(keep)
			if has := s.objects[manifestName(number)] != nil; has != kept {
				t.Errorf("keep %d: checkpoint %d is there: %t", keep, number, has)
			}
			if has := s.objects[partName(number, 1)] != nil; has != kept {
				t.Errorf("keep %d: the part of rank 1 of checkpoint %d, to which no other refers, is there: %t", keep, number, has)
			}
			if !kept {
				continue
			}
			o, err := Open(t.Context(), s, number)
			if err == nil {
				err = o.Verify()
				o.Close()
			}
			if err != nil {
				t.Errorf("keep %d: checkpoint %d: %v", keep, number, err)
			}
		}
		if s.open != 0 || s.writing != 0 {
			t.Errorf("%d readers and %d writers are not ended", s.open, s.writing)
		}
	}
}

// TestEverythingEnds: when any operation of a store fails, every writer is committed or aborted,
// every reader is closed, and nothing unfinished is left.
func TestEverythingEnds(t *testing.T) {
	boom := errors.New("boom")
	for _, doing := range []string{"create", "write", "commit", "read"} {
		for _, name := range []string{partName(2, 0), partName(2, 1), manifestName(2), partName(1, 1)} {
			s := newShelf()
			k := New(Config{Store: s, Keep: 2})
			saved(t, k, cutOf(1, 0, 1, 30), cutOf(1, 1, 1, 50, 60))
			failed := false
			s.failing = func(what, of string) error {
				if what == doing && of == name {
					failed = true
					return boom
				}
				return nil
			}
			second := cutOf(2, 1, 1, 50, 60)
			second.Pieces[0].Version = 2
			var err error
			for _, c := range []fagus.Cut{cutOf(2, 0, 2, 30), second} {
				err = errors.Join(err, k.Save(t.Context(), c))
			}
			if err == nil {
				err = k.Commit(t.Context(), 2)
			}
			o, opened := Open(t.Context(), s, 2)
			if opened == nil {
				err = errors.Join(err, o.Verify())
				o.Close()
			} else if err == nil {
				err = opened
			}
			if failed != (err != nil) && !(doing == "commit" || doing == "write" || doing == "create") {
				t.Errorf("%s of %s fails: %t, and the error is %v", doing, name, failed, err)
			}
			if failed && (err == nil || !errors.Is(err, boom) && !strings.Contains(err.Error(), "boom")) {
				t.Errorf("%s of %s fails, and the error is %v", doing, name, err)
			}
			if s.open != 0 || s.writing != 0 {
				t.Errorf("%s of %s fails: %d readers and %d writers are not ended", doing, name, s.open, s.writing)
			}
			if doing == "write" && failed && s.aborted == 0 {
				t.Errorf("a write of %s fails, and nothing is aborted", name)
			}
		}
	}
}

// TestUnfinishedFiles: the lock of a directory removes the unfinished files of jobs, and nothing
// else. The list of objects has neither.
func TestUnfinishedFiles(t *testing.T) {
	d, err := OpenDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 { // writers that never end
		w, err := d.Create(t.Context(), partName(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte("some")); err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
	}
	names := []string{manifestName(1), partName(1, 0), "unfinished", ".unfinished.not"}
	for _, name := range names {
		if err := put(t.Context(), d, name, []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	for round := range 2 {
		all, err := d.disk.List()
		if err != nil {
			t.Fatal(err)
		}
		unfinishedFiles := 0
		for _, o := range all {
			if strings.HasSuffix(o.Name, unfinished) {
				unfinishedFiles++
			}
		}
		if want := 3 * (1 - round); unfinishedFiles != want {
			t.Errorf("%d unfinished files after %d locks, want %d", unfinishedFiles, round, want)
		}
		unlock, err := d.Lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		listed, err := d.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range listed {
			got = append(got, o.Name)
		}
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(names)); !slices.Equal(got, want) {
			t.Errorf("the objects are %q, want %q", got, want)
		}
		if err := unlock(); err != nil {
			t.Fatal(err)
		}
	}
}
