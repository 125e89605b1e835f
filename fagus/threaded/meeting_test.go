package threaded

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// meetings lets ranks meet over a tree in calls of all kinds. It checks the words of the Reduces,
// and returns the time of a Barrier.
func meetings(t *testing.T, tree ringbuf.Tree, notices bool) (barrier dimmnet.Time) {
	t.Helper()
	net, err := sim.New(sim.Config{Limit: 10 * dimmnet.Second})
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 4
	err = net.Run(t.Context(), tree.Nodes, func(h dimmnet.Host) error {
		cfg, own := Config{Trees: true, Notices: notices}, h.Port().Rank()
		e, err := newEngine(h.Port(), consistency.NewSpace(), cfg)
		if err != nil {
			return err
		}
		e.meeting = newMeeting(own, tree)
		e.begin(h, cfg)
		for round := range uint64(2) {
			if err := e.Meet(syncvar.Reduce, round<<32|uint64(own)); err != nil {
				return err
			}
			var want []uint64
			for r := range uint64(tree.Nodes) {
				want = append(want, round<<32|r)
			}
			if got := e.Words(); !slices.Equal(got, want) {
				return fmt.Errorf("rank %d, round %d: the words are %x", own, round, got)
			}
			if err := e.Meet(syncvar.Update, 0); err != nil {
				return err
			}
		}
		begun := h.Now()
		for range rounds {
			if err := e.Meet(syncvar.Barrier, 0); err != nil {
				return err
			}
		}
		if own == 0 {
			barrier = (h.Now() - begun) / rounds
		}
		return e.Meet(syncvar.End, 0)
	})
	if err != nil {
		t.Errorf("%+v, notices %v: %v", tree, notices, err)
	}
	return barrier
}

// TestMeetingTrees meets over trees of all shapes with few ranks.
func TestMeetingTrees(t *testing.T) {
	for nodes := 1; nodes <= 14; nodes++ {
		for _, arity := range []int{1, 2, 3, 5} {
			meetings(t, ringbuf.Tree{Nodes: nodes, Arity: arity}, nodes%2 == 0)
		}
	}
}

// TestMeetingTimes prints what a Barrier costs with rank 0 as the only parent, and over the tree.
func TestMeetingTimes(t *testing.T) {
	counts := []int{32, 64}
	if longtest.Thorough() {
		counts = append(counts, 128, 256)
	}
	for _, notices := range []bool{false, true} {
		for _, nodes := range counts {
			flat := meetings(t, ringbuf.Tree{Nodes: nodes, Arity: nodes - 1}, notices)
			tree := meetings(t, ringbuf.Tree{Nodes: nodes, Arity: meetingArity}, notices)
			t.Logf("%d nodes, notices %v: %v, %v", nodes, notices, flat, tree)
		}
	}
}

// TestMeetingsThatBreakTheRules passes slots that no correct peer sends to rank 1 of 9, whose
// children are ranks 3 and 4. Ranks 7 and 8 are below rank 3.
func TestMeetingsThatBreakTheRules(t *testing.T) {
	arrival := func(from dimmnet.Rank, call syncvar.Call) incoming {
		return slotOf(from, message{op: arrive, call: call})
	}
	for _, c := range []struct {
		what  string
		waits syncvar.Call
		first []incoming
		in    incoming
		want  string
	}{
		{what: "a grandchild", in: arrival(7, syncvar.Barrier), want: "rank 7 sent an arrival in Barrier, which is not due"},
		{what: "the parent", in: arrival(0, syncvar.Barrier), want: "rank 0 sent an arrival in Barrier, which is not due"},
		{what: "a child twice", first: []incoming{arrival(4, syncvar.Barrier)}, in: arrival(4, syncvar.Barrier), want: "rank 4 sent an arrival in Barrier, which is not due"},
		{what: "two calls", first: []incoming{arrival(4, syncvar.Barrier)}, in: arrival(3, syncvar.Update), want: "rank 3 calls Update, but rank 4 calls Barrier"},
		{what: "another call than this rank's", waits: syncvar.Barrier, in: arrival(4, syncvar.Update), want: "rank 1 calls Barrier, but rank 4 calls Update"},
		{what: "words of a leaf", in: words(4, 0, 7), want: "rank 4 sent words of a Reduce, which are not due"},
		{what: "words of a grandchild", in: words(7, 0, 7), want: "rank 7 sent words of a Reduce, which are not due"},
		{what: "too many words", first: []incoming{words(3, 0, 1, 2)}, in: words(3, 2, 3, 4), want: "rank 3 sent 16 bytes of words at index 2, after 2 of 3 words"},
		{what: "too few words", first: []incoming{words(3, 0, 1, 2)}, in: arrival(3, syncvar.Reduce), want: "rank 3 sent an arrival in Reduce, after 2 of 3 words"},
		{what: "words before a Barrier", first: []incoming{words(3, 0, 1, 2, 3)}, in: arrival(3, syncvar.Barrier), want: "rank 3 sent an arrival in Barrier, after 3 of 0 words"},
		{what: "words after the arrival", first: []incoming{words(3, 0, 1, 2, 3), arrival(3, syncvar.Reduce)}, in: words(3, 3, 4), want: "rank 3 sent words of a Reduce, which are not due"},
		{what: "a leave of a child", waits: syncvar.Barrier, in: slotOf(3, message{op: leave, call: syncvar.Barrier}), want: "rank 3 sent that all ranks are in Barrier"},
	} {
		e := newTestEngine(t, 1)
		e.cfg.Trees, e.nodes, e.meeting = true, 9, newMeeting(1, ringbuf.Tree{Nodes: 9, Arity: 2})
		e.agreed = make([]uint32, 9)
		if c.waits != 0 {
			if err := e.arrive(c.waits, 0); err != nil {
				t.Fatal(err)
			}
		}
		act(t, e, c.first...)
		if err := e.handleSlot(c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.what, err, c.want)
		}
	}
}
