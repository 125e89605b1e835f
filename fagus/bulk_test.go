package fagus_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// bulkBytes are sizes of bulk memory: the least, those where casts go in several
// messages or rounds, and plenty.
var bulkBytes = []int{64, 200, 1000, 3000, 10_000, 40_000, 1 << 20}

// smallLLCM holds the rings of a tree and 27 words of each kind, but no rings for
// 15 nodes.
const smallLLCM = 2600

// bulkNet is a network with two banks of bulk memory and PUSHes of rdma bytes.
func bulkNet(llcm, bulk, rdma int) dimmnet.Network {
	return porttest.Wrap(inproc.New(inproc.Config{LLCM: llcm, Bulk: bulk, Banks: true}), func(p dimmnet.Port) dimmnet.Port {
		limits := p.Limits()
		limits.RDMA = rdma
		return porttest.Limited(p, limits)
	})
}

// bulkMessages counts what went by PUSH in a run.
func bulkMessages(report fagus.Report) (messages, pushes, slots uint64) {
	for _, r := range report.Ranks {
		messages += r.Bulk
		c := r.Messages()
		pushes += c.Pushes
		slots += r.Slots
	}
	return messages, pushes, slots
}

// TestRandomProgramsByPush runs random programs with rings for the lists only,
// with rings for small transfers, and with a tree.
func TestRandomProgramsByPush(t *testing.T) {
	seeds := uint64(56)
	if testing.Short() {
		seeds = 14
	}
	var few, many uint64 // PUSHes a message
	var mixed int        // programs in which words ran out
	for seed := range seeds {
		nodes := 1 + int(seed%6)
		random := rand.New(rand.NewPCG(seed, 1))
		bulk := bulkBytes[seed%uint64(len(bulkBytes))]
		rdma := 8 + random.IntN(bulk)
		report := runRandomBy(t, fagus.Push, bulkNet(0, bulk, rdma), nodes, seed)
		messages, pushes, slots := bulkMessages(report)
		if slots > 0 {
			t.Errorf("seed %d: %d slots of data although PUSH was asked for", seed, slots)
		}
		if pushes > messages {
			many++
		} else {
			few++
		}
		runRandomBy(t, fagus.Auto, bulkNet(0, bulk, rdma), nodes, seed)
		runRandomBy(t, fagus.Push, inproc.New(inproc.Config{Bulk: bulk}), nodes, seed) // one memory for both sides
		// So small an LLCM has rings for all, and a word a peer.
		report = runRandomBy(t, fagus.Push, bulkNet(400*nodes, bulk, rdma), nodes, seed)
		if _, _, slots := bulkMessages(report); slots > 0 {
			mixed++
		}
		report = runRandomBy(t, fagus.Auto, bulkNet(smallLLCM, bulk, rdma), 16+nodes, seed)
		if _, _, slots := bulkMessages(report); slots > 0 {
			t.Errorf("seed %d: %d slots of data without rings for them", seed, slots)
		}
	}
	if mixed == 0 {
		t.Error("no program ran out of words")
	}
	if few < seeds/10 || many < seeds/10 {
		t.Errorf("%d programs with one PUSH a message, %d with several", few, many)
	}
}

// TestPushNeedsBulkMemory asks for PUSH where there is no bulk memory, and for
// rings where they do not fit.
func TestPushNeedsBulkMemory(t *testing.T) {
	for _, test := range []struct {
		cfg  fagus.Config
		want string
	}{
		{fagus.Config{Nodes: 2, Transfer: fagus.Push, Net: inproc.New(inproc.Config{})}, "needs RDMA and bulk memory; this port has 131072 and 0 bytes: use auto or rings"},
		{fagus.Config{Nodes: 20, Transfer: fagus.Rings, Net: bulkNet(smallLLCM, 1000, 1000)}, "hold the slots of at most 15 by rings alone: use auto or push"},
	} {
		_, err := fagus.Run(t.Context(), test.cfg, func(*fagus.Node) error { return nil })
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("transfer by %v: error %v, want %q", test.cfg.Transfer, err, test.want)
		}
	}
}

// TestAutoChoosesBySize exchanges arrays of two owners: PUSH is for 512 bytes
// and more, of a real port 256 KiB, and what goes the same way counts together.
func TestAutoChoosesBySize(t *testing.T) {
	virtual, real := newSim(t, sim.Config{}), bulkNet(0, 1<<20, 1<<20)
	for _, test := range []struct {
		net             dimmnet.Network
		lengths         []int // of 4-byte elements; in turn of rank 0 and rank 1
		messages, slots uint64
	}{
		{virtual, []int{127, 10}, 0, 2},
		{virtual, []int{128, 10}, 1, 1},
		{virtual, []int{128, 3000}, 2, 0},
		{virtual, []int{64, 10, 64}, 1, 1},
		{virtual, []int{64, 10, 63}, 0, 3},
		{real, []int{65535, 10}, 0, 65},
		{real, []int{65536, 10}, 1, 1},
		{real, []int{65536, 80000}, 2, 0},
		{real, []int{32768, 10, 32768}, 1, 1},
		{real, []int{32768, 10, 32767}, 0, 65},
	} {
		report, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Net: test.net}, func(n *fagus.Node) error {
			return exchange(n, test.lengths)
		})
		if err != nil {
			t.Fatal(err)
		}
		if messages, _, slots := bulkMessages(report); messages != test.messages || slots != test.slots {
			t.Errorf("%+v on %T: %d messages, %d slots", test, test.net, messages, slots)
		}
	}
}

// TestOneArrayInManyMessages brings an array that is larger than the bulk memory
// to all ranks, and small ones of other owners with it.
func TestOneArrayInManyMessages(t *testing.T) {
	const bulk, most = 5000, 100_000
	for nodes := 2; nodes <= 7; nodes++ {
		net := bulkNet(0, bulk, 1<<20)
		report, err := fagus.Run(t.Context(), fagus.Config{Nodes: nodes, Transfer: fagus.Push, Net: net}, func(n *fagus.Node) error {
			return exchange(n, []int{10, most, 300, 10})
		})
		if err != nil {
			t.Fatalf("%d nodes: %v", nodes, err)
		}
		least := (nodes - 1) * (4 * most / bulk)
		if messages, _, slots := bulkMessages(report); int(messages) < least || slots > 0 {
			t.Errorf("%d nodes: %d messages and %d slots, want at least %d messages", nodes, messages, slots, least)
		}
	}
}

// exchange fills arrays of some lengths, each at another rank, and brings all of
// them to all ranks.
func exchange(n *fagus.Node, lengths []int) error {
	arrays := make([]*fagus.Array[int32], len(lengths))
	var mine, all []fagus.Request
	for i, length := range lengths {
		a, err := fagus.NewArray[int32](n, fmt.Sprint(i), length)
		if err != nil {
			return err
		}
		v, err := n.Bind(fmt.Sprint(i), a.All())
		if err != nil {
			return err
		}
		if i%n.Nodes() == n.Rank() {
			mine = append(mine, fagus.Want(v, fagus.Exclusive))
		}
		all = append(all, fagus.Want(v, fagus.Shared))
		arrays[i] = a
	}
	fill, look := n.Set(mine...), n.Set(all...)
	if err := n.Acquire(fill); err != nil {
		return err
	}
	for i := n.Rank(); i < len(arrays); i += n.Nodes() {
		for j := range arrays[i].Slice() {
			arrays[i].Slice()[j] = int32(j + i)
		}
	}
	if err := n.Release(fill); err != nil {
		return err
	}
	if err := n.Acquire(look); err != nil {
		return err
	}
	for i, a := range arrays {
		for j, x := range a.Slice() {
			if x != int32(j+i) {
				return fmt.Errorf("element %d of array %d is %d", j, i, x)
			}
		}
	}
	return n.Release(look)
}
