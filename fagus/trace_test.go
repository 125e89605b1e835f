package fagus_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/trace"
	"github.com/fagus-dsm/fagus/fagus/trace/tracefile"
)

// traced is a program in which rank 1 waits for rank 0, which holds x for a millisecond.
func traced(n *fagus.Node) error {
	x := fagus.NewGuarded[int64](n, "x", 100)
	y := fagus.NewGuarded[int64](n, "y", 8)
	for range 3 {
		if n.Rank() == 1 {
			n.Spend(fagus.Microsecond)
		}
		err := n.Set(x.Write(), y.Read()).Do(func() {
			x.Slice()[n.Rank()]++
			n.Spend(fagus.Millisecond)
		})
		if err != nil {
			return err
		}
	}
	return n.Update()
}

// TestTrace: a file has the calls, waits, arrivals and writes of all ranks as they are recorded.
func TestTrace(t *testing.T) {
	simulated, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, net := range []dimmnet.Network{simulated, inproc.New(inproc.Config{})} {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			tr := trace.New()
			cfg := fagus.Config{Nodes: 2, Net: net, Mode: mode, Trace: tr, Placement: fagus.PlacePrivate}
			if _, err := fagus.Run(t.Context(), cfg, traced); err != nil {
				t.Fatal(err)
			}
			var file bytes.Buffer
			if err := tracefile.Write(&file, tr); err != nil {
				t.Fatal(err)
			}
			again, err := tracefile.Read(&file)
			if err != nil {
				t.Fatal(err)
			}
			for r := range tr.Ranks {
				for i, e := range tr.Ranks[r].Events {
					e.From, e.To = round(e.From+tr.Ranks[r].Offset), round(e.To+tr.Ranks[r].Offset)
					if got := again.Ranks[r].Events[i]; !reflect.DeepEqual(got, e) {
						t.Errorf("event %d of rank %d is %+v in the file, want %+v", i, r, got, e)
					}
				}
			}
		}
	}
}

func round(t fagus.Time) fagus.Time { return t / fagus.Nanosecond * fagus.Nanosecond }
