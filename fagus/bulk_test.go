package fagus_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/fagus"
)

// bulkBytes are sizes of bulk memory: the least, those where casts go in several
// messages or rounds, and plenty.
var bulkBytes = []int{64, 200, 1000, 3000, 10_000, 40_000, 1 << 20}

// smallLLCM holds the rings of a tree and 27 words of each kind, but no rings for
// 15 nodes.
const smallLLCM = 2600

// narrowPort is a port whose PUSHes are short.
type narrowPort struct {
	dimmnet.Port
	rdma int
}

func (p narrowPort) Limits() dimmnet.Limits {
	l := p.Port.Limits()
	l.RDMA = p.rdma
	return l
}

// bulkNet is a network with two banks of bulk memory and PUSHes of rdma bytes.
func bulkNet(llcm, bulk, rdma int) dimmnet.Network {
	return porttest.Wrap(inproc.New(inproc.Config{LLCM: llcm, Bulk: bulk, Banks: true}), func(p dimmnet.Port) dimmnet.Port {
		return narrowPort{p, rdma}
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
		report = runRandomBy(t, fagus.Auto, bulkNet(smallLLCM, bulk, rdma), 16+nodes, seed)
		if _, _, slots := bulkMessages(report); slots > 0 {
			t.Errorf("seed %d: %d slots of data without rings for them", seed, slots)
		}
	}
	if few < seeds/10 || many < seeds/10 {
		t.Errorf("%d programs with one PUSH a message, %d with several", few, many)
	}
}
