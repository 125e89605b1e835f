package fagus_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// bulkBytes are sizes of bulk memory in bytes: the smallest, some for which a multicast takes
// several messages or rounds, and a large one.
var bulkBytes = []int{64, 200, 1000, 3000, 10_000, 40_000, 1 << 20}

// smallLLCM is the size in bytes of an LLCM that has room for the rings of a multicast tree and
// for 27 words of each kind, but not for the rings of 15 nodes.
const smallLLCM = 2600

// bulkNet returns a network with two banks of bulk memory and PUSHes of up to rdma bytes.
func bulkNet(llcm, bulk, rdma int) dimmnet.Network {
	return porttest.Wrap(inproc.New(inproc.Config{LLCM: llcm, Bulk: bulk, Banks: true}), func(p dimmnet.Port) dimmnet.Port {
		limits := p.Limits()
		limits.RDMA = rdma
		return porttest.Limited(p, limits)
	})
}

// bulkMessages returns the number of messages and PUSHes that moved data in a run, and the
// number of slots.
func bulkMessages(report fagus.Report) (messages, pushes, slots uint64) {
	for _, r := range report.Ranks {
		messages += r.Bulk
		c := r.Messages()
		pushes += c.Pushes
		slots += r.Slots
	}
	return messages, pushes, slots
}

// TestRandomProgramsByPush runs random programs with rings for lists only, with rings for
// small transfers, and with a multicast tree.
func TestRandomProgramsByPush(t *testing.T) {
	seeds := cases(56, 5)
	var few, many uint64 // programs with one PUSH for each message, and with more
	var mixed int        // programs in which words ran out
	for seed := range seeds {
		nodes := 1 + int(seed%6)
		random := rand.New(rand.NewPCG(seed, 1))
		bulk := bulkBytes[seed%uint64(len(bulkBytes))]
		rdma := 8 + random.IntN(bulk)
		report := runRandomBy(t, fagus.Push, bulkNet(0, bulk, rdma), nodes, seed)
		messages, pushes, slots := bulkMessages(report)
		if slots > 0 {
			t.Errorf("seed %d: %d slots of data although Transfer is Push", seed, slots)
		}
		if pushes > messages {
			many++
		} else {
			few++
		}
		runRandomBy(t, fagus.Auto, bulkNet(0, bulk, rdma), nodes, seed)
		// Here both directions use one bulk memory.
		runRandomBy(t, fagus.Push, inproc.New(inproc.Config{Bulk: bulk}), nodes, seed)
		// This LLCM holds rings for all ranks, and one word per peer.
		report = runRandomBy(t, fagus.Push, bulkNet(400*nodes, bulk, rdma), nodes, seed)
		if _, _, slots := bulkMessages(report); slots > 0 {
			mixed++
		}
		report = runRandomBy(t, fagus.Auto, bulkNet(smallLLCM, bulk, rdma), 16+nodes, seed)
		if _, _, slots := bulkMessages(report); slots > 0 {
			t.Errorf("seed %d: %d slots of data, but there are no rings for data", seed, slots)
		}
	}
	if mixed == 0 {
		t.Error("no program ran out of words")
	}
	if few < seeds/10 || many < seeds/10 {
		t.Errorf("%d programs with one PUSH for each message, %d with several: want at least %d each", few, many, seeds/10)
	}
}

// TestPushNeedsBulkMemory selects PUSH without bulk memory, and rings that do not fit.
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

// TestAutoChoosesBySize exchanges arrays of two owners. Auto uses PUSH for an array of at least
// 512 bytes; on a real port, for at least 256 KiB of one owner in all arrays together.
func TestAutoChoosesBySize(t *testing.T) {
	virtual, real := newSim(t, sim.Config{}), bulkNet(0, 1<<20, 1<<20)
	for _, test := range []struct {
		net             dimmnet.Network
		lengths         []int // in elements of 4 bytes; the owners are ranks 0 and 1 in turn
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
			t.Errorf("lengths %v on %T: %d messages and %d slots, want %d and %d", test.lengths, test.net, messages, slots, test.messages, test.slots)
		}
	}
}

// TestOneArrayInManyMessages transfers an array that is larger than the bulk memory to all
// ranks, together with small arrays of other owners.
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

// exchange makes arrays of the given lengths. The ranks in turn fill one array each. Then all
// ranks read all arrays.
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
	if err := tenure(n, n.Set(mine...), func() {
		for i := n.Rank(); i < len(arrays); i += n.Nodes() {
			for j := range arrays[i].Slice() {
				arrays[i].Slice()[j] = int32(j + i)
			}
		}
	}); err != nil {
		return err
	}
	return n.During(n.Set(all...), func() error {
		for i, a := range arrays {
			for j, x := range a.Slice() {
				if x != int32(j+i) {
					return fmt.Errorf("element %d of array %d is %d, want %d", j, i, x, j+i)
				}
			}
		}
		return nil
	})
}
