package movement

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
)

func randomCuts(random *rand.Rand) (cuts []consistency.Cut, guarded int) {
	lo := consistency.Addr(random.IntN(1000))
	for range random.IntN(12) {
		n := 1 + random.IntN([]int{3, 20, 500}[random.IntN(3)])
		cuts = append(cuts, consistency.Cut{Range: consistency.Range{Lo: lo, Hi: lo + consistency.Addr(n)}, Age: uint16(random.IntN(5))})
		lo += consistency.Addr(n + random.IntN(100))
		guarded += n
	}
	return cuts, guarded
}

// TestPack packs random cuts into messages of a limited size. Together the messages hold the same
// bytes, and no more than mostBytes allows.
func TestPack(t *testing.T) {
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 0))
		cuts, guarded := randomCuts(random)
		want := bytesOf(cuts)
		most, limit := mostBytes(guarded, len(cuts)), minMessage+8*random.IntN(100)
		var got []consistency.Cut
		messages, queue := 0, cuts
		for messages == 0 || len(queue) > 0 {
			message, rest, n := pack(queue, limit)
			if n > limit || n%8 != 0 || len(message) == 0 && len(rest) > 0 {
				t.Fatalf("seed %d: a message of %d bytes, at most %d, leaves %d pieces", seed, n, limit, len(rest))
			}
			manifest := appendManifest(nil, message)
			count, err := manifestCount([countBytes]byte(manifest), n)
			if err != nil || count != len(message) {
				t.Fatalf("seed %d: %d pieces became %d, error %v", seed, len(message), count, err)
			}
			decoded, err := decodePieces(manifest[countBytes:], n)
			if err != nil || len(message) > 0 && !reflect.DeepEqual(decoded, message) {
				t.Fatalf("seed %d: %+v became %+v, error %v", seed, message, decoded, err)
			}
			got = append(got, decoded...)
			queue = rest
			messages++
		}
		if !reflect.DeepEqual(bytesOf(got), want) {
			t.Fatalf("seed %d: %+v was packed as %+v", seed, want, got)
		}
		if messages > 1 && most <= limit {
			t.Fatalf("seed %d: %d messages of %d bytes for data of at most %d bytes", seed, messages, limit, most)
		}
	}
}

// bytesOf returns, by address, the age of every byte of cuts.
func bytesOf(cuts []consistency.Cut) map[consistency.Addr]uint16 {
	ages := make(map[consistency.Addr]uint16)
	for _, c := range cuts {
		for a := c.Lo; a < c.Hi; a++ {
			ages[a] = c.Age
		}
	}
	return ages
}

func FuzzManifest(f *testing.F) {
	f.Add(appendManifest(nil, nil), 0)
	f.Add(appendManifest(nil, []consistency.Cut{{Range: consistency.Range{Lo: 4096, Hi: 4100}, Age: 1}, {Range: consistency.Range{Lo: 5000, Hi: 5100}}}), 112)
	f.Fuzz(func(t *testing.T, b []byte, data int) {
		n := len(b) + int(uint16(data))
		if len(b) < countBytes {
			return
		}
		count, err := manifestCount([countBytes]byte(b), n)
		if err != nil || count > (len(b)-countBytes)/pieceBytes {
			return
		}
		b = b[:countBytes+count*pieceBytes]
		cuts, err := decodePieces(b[countBytes:], n)
		if err != nil {
			return
		}
		size := len(b)
		for _, c := range cuts {
			if c.Len() <= 0 || c.Lo >= consistency.MaxAddr {
				t.Fatalf("decoded an invalid cut %+v", c)
			}
			size += Padded(c.Len())
		}
		if size != n {
			t.Fatalf("%d bytes in a message of %d", size, n)
		}
		if again := appendManifest(nil, cuts); string(again) != string(b) {
			t.Fatalf("bytes %x are decoded as %+v and encoded as %x", b, cuts, again)
		}
	})
}

func FuzzWords(f *testing.F) {
	memory := span{1000, 4096}
	f.Add(grant{offset: 1000}.encode(tag(3, 0)), uint64(3), 0, 64)
	f.Add(grant{5088, true}.encode(tag(3, 9)), uint64(3), 9, 64)
	f.Add(notice{bytes: 88, ends: true, last: true}.encode(tag(1<<24-1, 63)), uint64(1<<24-1), 63, 1)
	f.Fuzz(func(t *testing.T, word, phase uint64, message, n int) {
		tag := tag(phase, int(uint32(message)))
		n = int(uint16(n))
		place, granted, err := decodeGrant(word, tag, n, memory)
		if granted && (place.offset < 1000 || int(place.offset)+n > 5096 || place.encode(tag) != word) || granted && err != nil {
			t.Fatalf("%x grants %d bytes at %+v, error %v", word, n, place, err)
		}
		if news, there := decodeNotice(word, tag); there && news.encode(tag) != word {
			t.Fatalf("word %x is decoded as notice %+v, which is encoded as another word", word, news)
		}
		if _, there := decodeNotice(0, tag); there {
			t.Fatalf("tag %x equals the tag of a word that was never written", tag)
		}
	})
}

// TestWordsDoNotOverlap checks the layout of the words at the top of LLCMs of odd sizes.
func TestWordsDoNotOverlap(t *testing.T) {
	for llcm := 1000; llcm < 1020; llcm++ {
		w := PlacePushWords(&dimmnet.Limits{LLCM: llcm}, 1000, 5)
		seen := make(map[dimmnet.Offset]bool)
		for i := range 5 {
			for _, off := range []dimmnet.Offset{w.grant(i), w.done(i), w.notice(i)} {
				if seen[off] || off%8 != 0 || int(off)+5*wordRows*8+8 <= llcm || int(off)+8 > llcm {
					t.Errorf("an LLCM of %d bytes: a word at %d", llcm, off)
				}
				seen[off] = true
			}
		}
	}
}

func TestNoWord(t *testing.T) {
	defer func() {
		if got := recover(); got != "phase: word 5 of 5 in row 1" {
			t.Errorf("panic %v", got)
		}
	}()
	t.Errorf("the word behind the last is at %d", PushWords{880, 5}.done(5))
}

// TestTags checks that the messages of a multicast have different tags, and that tags of different
// phases differ. No tag is 0, which is the tag of a word that was never written. A tag uses no
// other bits of the word.
func TestTags(t *testing.T) {
	seen := make(map[uint64]bool)
	for _, phase := range []uint64{0, 1, 2, 1 << 22, 1<<23 - 1, 1 << 23, 1<<24 - 1} {
		for message := range messageMax {
			word := grant{}.encode(tag(phase, message))
			if word == 0 || word<<(64-tagShift) != 0 || seen[word] {
				t.Errorf("message %d of phase %d: %#x is used twice or has other bits set", message, phase, word)
			}
			seen[word] = true
		}
	}
	if tag(3, 0) != tag(3+1<<24, messageMax) {
		t.Error("phases and messages do not wrap")
	}
}

func TestSpan(t *testing.T) {
	s := span{1000, 64}
	for _, test := range []struct {
		off  dimmnet.Offset
		n    int
		want bool
	}{
		{1000, 64, true}, {1063, 1, true}, {1064, 0, true}, {1008, 56, true},
		{999, 1, false}, {1000, 65, false}, {1008, 57, false}, {1064, 1, false}, {4000, 0, false},
	} {
		if got := s.contains(test.off, test.n); got != test.want {
			t.Errorf("%d bytes at %d are within %+v: %v", test.n, test.off, s, got)
		}
	}
}

// TestReceiverKnowsTheLast checks that a receiver expects only one message if the multicast fits
// its bulk memory.
func TestReceiverKnowsTheLast(t *testing.T) {
	p := role{most: 160}
	for all, want := range map[int]bool{152: false, 160: true, 168: true} {
		if got := p.surelyLast(all); got != want {
			t.Errorf("160 bytes in a memory of %d: surelyLast is %v", all, got)
		}
	}
}
