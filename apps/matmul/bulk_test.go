package matmul_test

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/apps/matmul"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestSameBitsByPush multiplies with bulk memory of all sizes and on more nodes
// than rings fit. C must not depend on how it travelled.
func TestSameBitsByPush(t *testing.T) {
	for _, size := range []struct{ n, nodes, llcm, bulk int }{
		{1, 2, 0, 64}, {17, 3, 0, 200}, {64, 8, 0, 3000}, {64, 5, 0, 1 << 20}, {100, 4, 0, 40_000},
		{64, 47, 8 << 10, 1 << 20}, {130, 100, 8 << 10, 4000}, {200, 150, 8 << 10, 1 << 20},
	} {
		cfg := matmul.Square(size.n)
		first, _ := run(t, inproc.New(inproc.Config{}), 1, cfg)
		for _, sync := range []matmul.Sync{matmul.Row, matmul.Rank} {
			cfg.Sync = sync
			for _, by := range []fagus.Transfer{fagus.Auto, fagus.Push} {
				net := inproc.New(inproc.Config{LLCM: size.llcm, Bulk: size.bulk, Banks: true})
				got, report := runBy(t, by, net, size.nodes, cfg)
				name := fmt.Sprintf("%+v, %v, %v", size, sync, by)
				if d := sameBits(got.C, first.C); d != "" {
					t.Errorf("%s: %s", name, d)
				}
				var bulk uint64
				for _, r := range report.Ranks {
					bulk += r.Bulk
				}
				if bulk == 0 && by == fagus.Push && size.n > 1 {
					t.Errorf("%s: nothing went by PUSH", name)
				}
			}
		}
	}
}
