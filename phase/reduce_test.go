package phase_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/frametest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/phase"
	"github.com/fagus-dsm/fagus/syncvar"
)

// reduceWorld returns two ranks at the start of a phase. Rank 1 has posted its word of a Reduce,
// and rank 0 waits for it.
func reduceWorld(t *testing.T, word string) *world {
	t.Helper()
	w := &world{inline: true}
	for _, line := range []string{"ranks 2", "barrier 0", "barrier 1", "stabilize", "barrier 0", "barrier 1", "stabilize", "reduce 1 " + word, "reduce 0 a"} {
		if err := w.do(strings.Fields(line)); err != nil {
			t.Fatal(err)
		}
	}
	w.out.Reset()
	return w
}

// TestValueLandsBeforeItsRequest checks that a rank does not read the value of a Reduce before it
// has landed.
func TestValueLandsBeforeItsRequest(t *testing.T) {
	w := reduceWorld(t, "b")
	queue := w.ranks[1].port.out[0]
	if len(queue) != 2 {
		t.Fatalf("rank 1 has posted %d times, want the value and the request", len(queue))
	}
	for i, want := range []string{"", "0: Reduce done in phase 2\n0 has [a b]\n"} {
		queue[i]()
		if err := w.step(0); err != nil {
			t.Fatal(err)
		}
		if got := w.out.String(); got != want {
			t.Errorf("after %d of 2 posts rank 0 printed %q, want %q", i+1, got, want)
		}
	}
}

// TestDamagedReduces changes one byte of the value or the request that rank 1 posts. Rank 0 gets
// another value, or it waits or fails as with any inline request.
func TestDamagedReduces(t *testing.T) {
	for _, c := range []struct {
		given string
		want  []string // outcomes that must occur
	}{
		{"b", []string{"another word"}},            // the value lies above the request
		{"0", []string{"waits", "fails", "[a 0]"}}, // only the request changes
	} {
		var good []byte
		reduceWorld(t, c.given).landWord(t, 1, 0, func(word uint64) uint64 {
			good = binary.LittleEndian.AppendUint64(nil, word)
			return word
		})
		outcomes := make(map[string]int)
		for damaged := range frametest.Every(good) {
			if len(damaged) < len(good) {
				continue // a word is never cut short
			}
			w := reduceWorld(t, c.given)
			word := binary.LittleEndian.Uint64(damaged)
			w.landWord(t, 1, 0, func(uint64) uint64 { return word })
			switch said := w.out.String(); {
			case said == "":
				outcomes["waits"]++
			case strings.Contains(said, "error: phase: "):
				outcomes["fails"]++
			case strings.HasSuffix(said, "0 has [a 0]\n"):
				outcomes["[a 0]"]++
			case strings.HasSuffix(said, fmt.Sprintf("0 has [a %x]\n", word)):
				outcomes["another word"]++
			default:
				outcomes["goes on"]++
			}
		}
		for _, want := range c.want {
			if outcomes[want] == 0 {
				t.Errorf("rank 1 contributes %s: outcome %q never occurs, only %v", c.given, want, outcomes)
			}
		}
	}
}

// reduces calls Reduce for a few rounds, between phases with other calls.
func reduces(p dimmnet.Port, words bool) error {
	e, err := phase.New(p, consistency.NewSpace(), phase.Config{Transfer: phase.Rings, Live: words})
	if err != nil {
		return err
	}
	for round := range uint64(6) {
		for range (round + uint64(p.Rank())) % 3 {
			if err := e.Call(&syncvar.List{Call: syncvar.Acquire}); err != nil {
				return err
			}
		}
		if err := e.Call(&syncvar.List{Call: syncvar.Reduce, Word: round<<32 | uint64(p.Rank())}); err != nil {
			return err
		}
		var want []uint64
		for r := range uint64(p.Nodes()) {
			want = append(want, round<<32|r)
		}
		if got := e.Words(); !slices.Equal(got, want) {
			return fmt.Errorf("round %d: the words are %x", round, got)
		}
	}
	return e.Call(&syncvar.List{Call: syncvar.End})
}

// TestReducesWithRefusedPosts refuses every single post of a run, up to three times each, also the
// post between a value and its request.
func TestReducesWithRefusedPosts(t *testing.T) {
	longtest.OneThread(t)
	for _, words := range []bool{false, true} {
		total := 1
		for at := 0; at < total; at++ {
			posts, again := 0, 1+at%3
			net, err := sim.New(sim.Config{Limit: 10 * dimmnet.Second})
			if err != nil {
				t.Fatal(err)
			}
			err = porttest.Wrap(net, func(p dimmnet.Port) dimmnet.Port {
				return porttest.Refuse(p, func() bool { // ranks are coroutines
					if posts == at && again > 0 {
						again--
						return true
					}
					posts++
					return false
				})
			}).Run(t.Context(), 3, func(h dimmnet.Host) error { return reduces(h.Port(), words) })
			if err != nil {
				t.Fatalf("words %v, post %d: %v", words, at, err)
			}
			total = posts
		}
		if total < 50 {
			t.Errorf("words %v: only %d posts", words, total)
		}
	}
}

// TestWordsOfNoReduce checks that Words panics after another call than Reduce.
func TestWordsOfNoReduce(t *testing.T) {
	w := reduceWorld(t, "b")
	defer func() {
		if got := recover(); got != "phase: Words called after Barrier, want Reduce" {
			t.Errorf("Words after another call: panic %v", got)
		}
	}()
	t.Errorf("Words after another call: no panic, words %x", w.ranks[0].engine.Words())
}
