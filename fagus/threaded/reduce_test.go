package threaded

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// words returns a slot with words of a Reduce. The first of them is the word of rank at.
func words(from dimmnet.Rank, at int, words ...uint64) incoming {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return incoming{from, ringbuf.Header{Kind: ringbuf.List, Sender: from, Addr: uint64(at), Len: len(b)}, b}
}

// TestWordsThatBreakTheRules passes words that no correct rank sends. Each must give an error that
// names the rank.
func TestWordsThatBreakTheRules(t *testing.T) {
	const unasked = " sent words of a Reduce, which are not due"
	odd := words(0, 0, 1, 2)
	odd.body = odd.body[:9]
	for _, c := range []struct {
		what  string
		rank  dimmnet.Rank // the rank of the engine
		waits syncvar.Call
		first []incoming // correct slots before in
		in    incoming   // a slot that no correct rank sends
		want  string
	}{
		{"unasked", 1, 0, nil, words(0, 0, 1), "rank 0" + unasked},
		{"in a Barrier", 1, syncvar.Barrier, nil, words(0, 0, 1), "rank 0" + unasked},
		{"of another rank", 1, syncvar.Reduce, nil, words(2, 0, 1), "rank 2" + unasked},
		{"to rank 0", 0, syncvar.Reduce, nil, words(1, 0, 1, 2, 3), "rank 1" + unasked},
		{"none", 1, syncvar.Reduce, nil, words(0, 0), "rank 0 sent 0 bytes of words at index 0, after 0 of 3 words"},
		{"part of one", 1, syncvar.Reduce, nil, odd, "rank 0 sent 9 bytes of words at index 0, after 0 of 3 words"},
		{"in another order", 1, syncvar.Reduce, []incoming{words(0, 0, 1)}, words(0, 2, 3), "rank 0 sent 8 bytes of words at index 2, after 1 of 3 words"},
		{"twice", 1, syncvar.Reduce, []incoming{words(0, 0, 1, 2)}, words(0, 0, 1), "rank 0 sent 8 bytes of words at index 0, after 2 of 3 words"},
		{"of more ranks", 1, syncvar.Reduce, []incoming{words(0, 0, 1, 2)}, words(0, 2, 3, 4), "rank 0 sent 16 bytes of words at index 2, after 2 of 3 words"},
		{"too few", 1, syncvar.Reduce, []incoming{words(0, 0, 1, 2)}, slotOf(0, message{op: leave, call: syncvar.Reduce}), "rank 0 sent that all ranks are in Reduce, after 2 of 3 words"},
		{"to a Barrier", 0, 0, nil, slotOf(1, message{op: arrive, call: syncvar.Barrier, word: 7}), "rank 1 sent a message that contributes 0x7 to Barrier"},
		{"to no call", 0, 0, nil, slotOf(1, message{op: arrive, call: syncvar.Fence + 1, word: 7}), "rank 1 sent a message of kind 4 with call 7"},
	} {
		e := newTestEngine(t, c.rank)
		e.meeting.call = c.waits
		act(t, e, c.first...)
		if err := e.handleSlot(c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.what, err, c.want)
		}
	}
}

// TestWordsOfManyRanks sends words that take more slots than a ring has, with slots of several
// sizes.
func TestWordsOfManyRanks(t *testing.T) {
	for _, nodes := range []int{1, 2, 40} {
		simulated, err := sim.New(sim.Config{})
		if err != nil {
			t.Fatal(err)
		}
		for _, net := range []dimmnet.Network{simulated, inproc.New(inproc.Config{LLCM: 400 * nodes})} {
			err := net.Run(t.Context(), nodes, func(h dimmnet.Host) error {
				own := uint64(h.Port().Rank())
				e, err := New(h, consistency.NewSpace(), Config{})
				if err != nil {
					return err
				}
				for round := range uint64(3) {
					if err := e.Meet(syncvar.Reduce, round<<32|own); err != nil {
						return err
					}
					var want []uint64
					for r := range uint64(nodes) {
						want = append(want, round<<32|r)
					}
					if got := e.Words(); !slices.Equal(got, want) {
						return fmt.Errorf("round %d: the words are %x", round, got)
					}
				}
				return e.Meet(syncvar.End, 0)
			})
			if err != nil {
				t.Errorf("%T, %d nodes: %v", net, nodes, err)
			}
		}
	}
}
