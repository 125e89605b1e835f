package fagus

import (
	"context"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// answers is a Describer whose ranks have sent notes.
type answers [][]byte

func (a answers) Describe(func() []byte) {}

func (a answers) Ask(context.Context, []byte, []dimmnet.Rank) [][]byte { return a }

// TestStatesOfProcesses: a process knows what the others count, as far as they say it.
func TestStatesOfProcesses(t *testing.T) {
	counts := &meter.Counts{Phases: 7, Bytes: 1 << 40, End: 3}
	board := rollcall.Open(rollcall.Config{After: -1}, rollcall.About{Nodes: 6, Only: new(int)})
	defer board.Close()
	m := meter.New()
	defer m.Begin(meter.Run{Nodes: 6, Board: board})()
	m.Rank(0, nil).Phase()
	a := &apart{own: 0, nodes: 6, board: board, meter: m, declared: newDeclarations(false, func() {})}
	own := a.note()
	a.processes = answers{
		own,
		(&note{Entry: rollcall.Entry{Call: "Barrier", Calls: 4}, Counts: counts}).encode(),
		(&note{Entry: rollcall.Entry{Call: "Barrier"}}).encode(), // it does not count
		[]byte("\x00\xff not compressed"),
		nil,
		own[:len(own)/2],
	}
	if n, ok := decodeNote(own); !ok || n.Counts == nil || n.Counts.Phases != 1 {
		t.Errorf("this rank says %+v", n)
	}
	all := a.states()(t.Context())
	if len(all) != 1 || all[0].Rank != 1 || all[0].Does.Calls != 4 || all[0].Counts != *counts {
		t.Errorf("the other ranks are %+v, want rank 1 with %+v", all, *counts)
	}
}
