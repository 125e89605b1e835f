package fagus_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/fagus"
)

// bulkBytes are sizes of bulk memory: the least, those where casts go in several
// messages or rounds, and plenty.
var bulkBytes = []int{32, 40, 200, 1000, 6000, 40_000, 1 << 20}

func bulkNet(llcm, bulk int) *inproc.Network {
	return inproc.New(inproc.Config{LLCM: llcm, Bulk: bulk, Banks: true})
}

func TestRandomProgramsByPush(t *testing.T) {
	for seed := range uint64(80) {
		nodes := 1 + int(seed%6)
		for _, by := range []fagus.Transfer{fagus.Auto, fagus.Push} {
			bulk := bulkBytes[seed%uint64(len(bulkBytes))]
			runRandomBy(t, by, bulkNet(0, bulk), nodes, seed)
		}
	}
}
