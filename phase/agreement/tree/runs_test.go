package tree

import (
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// someEntries returns entries of ranks that want variables near four times their numbers, and that
// began to wait one after another. Some deviate: some IDs differ, or a mark or nothing is in the
// place of a list. If turns is set, every second rank has another list.
func someEntries(random *rand.Rand, ranks int, deviate float64, turns bool) (entries []entry) {
	for r := range ranks {
		l := syncvar.List{Call: syncvar.Acquire, Phase: scheduled, Since: scheduled - uint64(ranks-r), Declared: 1 << 20, Digest: 7}
		l.Exclusive = []syncvar.ID{syncvar.ID(4*r + 4), syncvar.ID(4*r + 5)}
		l.Shared = []syncvar.ID{syncvar.ID(4 * r), syncvar.ID(4*r + 9)}
		if turns && r%2 == 1 {
			l.Clean, l.Since = l.Exclusive, scheduled
		}
		if random.Float64() < deviate {
			switch random.IntN(6) {
			case 0:
				continue
			case 1:
				entries = append(entries, entry{uint64(r), appendMark(nil, 3)})
				continue
			case 2:
				l.Shared = l.Shared[:random.IntN(2)]
			case 3:
				l.Digest++
			case 4:
				l.Since -= 2
			case 5:
				l.Exclusive[1] += syncvar.ID(random.IntN(9))
			}
		}
		entries = append(entries, entry{uint64(r), appendScheduled(nil, &l)})
	}
	return entries
}

// TestRuns: a bundle with runs has the same entries as one without, by rank.
func TestRuns(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 5))
		want := someEntries(random, 1+random.IntN(200), float64(random.IntN(4))/8, seed%2 == 1)
		shuffled := append([]entry(nil), want...)
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		b := appendRuns(nil, shuffled)
		got, err := entriesOf(b)
		if err != nil || len(got) != len(want) || countEntries(b) != len(want) {
			t.Fatalf("seed %d: %d entries, counted %d, error %v, want %d", seed, len(got), countEntries(b), err, len(want))
		}
		for i := range want {
			if got[i].of != want[i].of || string(got[i].list) != string(want[i].list) {
				t.Fatalf("seed %d: entry %d is %d %x, want %d %x", seed, i, got[i].of, got[i].list, want[i].of, want[i].list)
			}
		}
	}
}

// TestRunsAreShort: lists that progress evenly take as many bytes for all ranks as for a few. So
// do two kinds of them in turn.
func TestRunsAreShort(t *testing.T) {
	for most, turns := range map[int]bool{64: false, 128: true} {
		entries := someEntries(rand.New(rand.NewPCG(1, 1)), dimmnet.MaxNodes/8, 0, turns)
		if b := appendRuns(nil, entries); len(b) > most {
			t.Errorf("the lists of %d ranks take %d bytes, in turns %v", len(entries), len(b), turns)
		}
	}
}
