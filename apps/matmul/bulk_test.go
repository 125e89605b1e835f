package matmul_test

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/matmul"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestSameBitsByPush multiplies with bulk memory of all sizes, and on more nodes than there is
// memory for rings. C must not depend on how its data moved.
func TestSameBitsByPush(t *testing.T) {
	longtest.Third(t)
	sizes := []struct{ n, nodes, llcm, bulk int }{
		{1, 2, 0, 64}, {17, 3, 0, 200}, {64, 8, 0, 3000}, {64, 5, 0, 1 << 20}, {100, 4, 0, 40_000},
		{64, 47, 8 << 10, 1 << 20}, {130, 100, 8 << 10, 4000}, {200, 150, 8 << 10, 1 << 20},
		{512, 2, 0, 8 << 20}, {512, 16, 0, 1 << 20},
	}
	if testing.Short() {
		sizes = sizes[:6]
	}
	for _, size := range sizes {
		cfg := matmul.Square(size.n)
		first, _ := run(t, inproc.New(inproc.Config{}), 1, cfg)
		for _, sync := range syncs {
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
					t.Errorf("%s: no data moved by PUSH", name)
				}
			}
		}
	}
}

// TestBulkMessageCounts compares runs with the formulas of docs/internals/messages.md.
func TestBulkMessageCounts(t *testing.T) {
	const phases, pieceBytes, element = 5, 64 << 10, 8
	up := func(a, b int) int { return (a + b - 1) / b }
	for _, size := range []struct{ n, nodes int }{{512, 2}, {300, 4}, {17, 3}, {100, 5}, {5, 8}} {
		n, nodes := size.n, size.nodes
		users := min(nodes-1, n-1) // ranks other than 0 that compute rows
		type counts struct{ lists, transfers, messages, slots, pushes, aotf, botf int }
		want := counts{lists: phases * nodes * (nodes - 1)}
		message := func(variables, bytes int) { // a message to one rank
			pushes := up(8+16*variables+bytes, pieceBytes)
			want.messages++
			want.transfers += variables
			want.pushes += pushes
			want.aotf += 1 + 2*pushes
		}
		for r := 1; r <= users; r++ {
			rows := up(n-r, nodes)
			if nodes == 2 { // B travels in the same message
				message(1+rows, element*(n*n+n*rows))
			} else {
				message(1, element*n*n)
				message(rows, element*n*rows)
			}
			message(rows, element*n*rows)
		}
		want.aotf += 4 * want.lists
		want.botf = want.lists

		_, report := runBy(t, fagus.Push, apptest.Simulated(t, sim.Config{}), nodes, matmul.Square(n))
		var got counts
		for _, r := range report.Ranks {
			c := r.Messages()
			got.lists += int(r.Lists)
			got.transfers += int(r.Transfers)
			got.messages += int(r.Bulk)
			got.slots += int(r.Slots)
			got.pushes += int(c.Pushes)
			got.aotf += int(c.Stores)
			got.botf += int(c.Writes)
		}
		if got != want {
			t.Errorf("n %d, %d nodes: %+v, want %+v by the formulas", n, nodes, got, want)
		}
	}
}
