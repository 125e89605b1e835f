package network

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

// open returns a network of open nodes, without hosts.
func open(t *testing.T, cfg Config) (*Network, []*Node) {
	t.Helper()
	preset, err := presets.Load(presets.Default)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Preset = &preset
	w := New(cfg, new(event.Timeline), event.NewTrace(cfg.Nodes, 0, nil))
	nodes := make([]*Node, cfg.Nodes)
	for i := range nodes {
		nodes[i] = w.Open(dimmnet.Rank(i))
		if cfg.UDP == nil {
			mustOpen(t, nodes[i], port(), preset.Limits.LLCM+preset.Limits.Bulk)
		}
	}
	return w, nodes
}

// port is a process to whose region 0 all memory belongs.
func port() martini.Owner { return martini.Owner{Group: 1, Process: 1} }

// mustOpen makes o a user of the node's NIC, with n bytes from offset 0 on as its region 0.
func mustOpen(t *testing.T, node *Node, o martini.Owner, n int) {
	t.Helper()
	err := node.Chip.Open(o)
	if err == nil {
		err = node.Chip.Register(o, 0, 0, n)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// header returns the header of a packet to off.
func header(c martini.Command, dst dimmnet.Rank, off dimmnet.Offset, n int) martini.Header {
	return martini.Header{Owner: port(), To: dst, Command: c, Addr: uint32(off), Length: n}
}

// settle lets all events up to a time happen.
func settle(w *Network, until dimmnet.Time) {
	for w.line.Len() > 0 && w.line.First().At <= until {
		e := w.line.Pop()
		w.line.Happened(e.At)
		w.Handle(e)
	}
}

// TestNothingIsLeft posts all kinds of packets, some of which are refused, and checks that the
// network has freed everything.
func TestNothingIsLeft(t *testing.T) {
	const llcm = 128 << 10
	w, nodes := open(t, Config{Nodes: 3, LookAhead: true})
	user := martini.Owner{Group: 5, Process: 5}
	for _, n := range nodes {
		mustOpen(t, n, user, 8192)
	}
	for i := range 40 {
		now := dimmnet.Time(i+1) * dimmnet.Millisecond
		settle(w, now)
		for _, n := range nodes {
			dst := dimmnet.Rank(i % 3)
			n.Post(&Store{Written: now, Word: 1, To: dst, Size: 8, Hit: true})
			n.Block(header(martini.CommandBlock, dst, 64, 1+i*11), make([]byte, 1+i*11), -1, now)
			all := Store{Written: now, Word: 1, Off: 8, Group: []dimmnet.Rank{0, 1, 2}, Size: 8}
			n.Announce(&all)
			n.Withdraw(&all)
			n.Post(&all)
			n.Push(header(martini.CommandPush, dst, llcm, 5000+i), llcm, 5000+i, 16, now)
			n.Pull(header(martini.CommandPull, dst, llcm, 5000+i), header(martini.CommandPush, n.rank, 4096, 5000+i), 5000+i, 24, now)
			// rank dst refuses both
			beyond := martini.Header{Owner: user, To: dst, Addr: 8000, Command: martini.CommandPush, Length: 8192}
			n.Push(beyond, 0, 8192, 32, now)
			unknown := martini.Header{Owner: user, To: dst, Region: 9, Command: martini.CommandPull, Length: 100}
			n.Pull(unknown, martini.Header{Owner: user, To: n.rank, Command: martini.CommandPush, Length: 100}, 100, 40, now)
		}
	}
	settle(w, dimmnet.Second)
	if n := w.packets.InUse(); n != 0 {
		t.Errorf("%d packets were not freed", n)
	}
	if n := w.transfers.InUse(); n != 0 {
		t.Errorf("%d transfers were not freed", n)
	}
	for i, n := range nodes {
		if x := &n.expected; x.n != 0 || x.more != 0 {
			t.Errorf("rank %d still expects %d events, and %d more", i, x.n, x.more)
		}
		if e := &n.engine; e.uses != 0 || len(e.queue) != 0 {
			t.Errorf("rank %d: %d uses of bulk memory and %d requests are left", i, e.uses, len(e.queue))
		}
	}
	if refusals := w.Totals().NIC.Refusals(); refusals < 240 {
		t.Errorf("%d refusals, want 240: 80 of each rank", refusals)
	}
}

// TestBlocksAreReused sends long and short packets in turn.
func TestBlocksAreReused(t *testing.T) {
	w, nodes := open(t, Config{Nodes: 2})
	for i := range dimmnet.Time(1000) {
		now := i * 100 * dimmnet.Microsecond
		settle(w, now)
		for _, n := range []int{464, 8} {
			nodes[0].Block(header(martini.CommandBlock, 1, 0, n), make([]byte, n), -1, now)
		}
	}
	settle(w, dimmnet.Second)
	blocks := 0
	for _, class := range w.packets.blocks {
		blocks += len(class)
	}
	if blocks > 8 {
		t.Errorf("%d blocks were allocated for 2 packets at a time", blocks)
	}
}

// TestDatagramsAreHeldEvenly: the times for which datagrams are held back are spread evenly up to
// UDPTimes.Held.
func TestDatagramsAreHeldEvenly(t *testing.T) {
	const count, apart = 600, 10 * dimmnet.Millisecond
	prompt, onTime := open(t, Config{Nodes: 2, UDP: &UDP{}})
	w, late := open(t, Config{Nodes: 2, UDP: &UDP{Reorder: 0.999}})
	for i := range dimmnet.Time(count) {
		onTime[0].Emit(1, make([]byte, 100), i*apart)
		late[0].Emit(1, make([]byte, 100), i*apart)
	}
	held := w.preset.UDP.Held
	var thirds [3]int
	for w.line.Len() > 0 {
		d := w.line.Pop().At - prompt.line.Pop().At
		if d < 0 || d >= held {
			t.Fatalf("held back for %v, want at most %v", d, held)
		}
		thirds[3*d/held]++
	}
	for _, n := range thirds {
		if n < count/4 || n > count*5/12 {
			t.Errorf("times by thirds of the range: %v of %d, want about a third each", thirds, count)
		}
	}
}

// TestDrawsAreIndependent: the draws of two nodes for a peer are both below one half a quarter of
// the time, whether they have the rank, the peer or the pair in common.
func TestDrawsAreIndependent(t *testing.T) {
	const count = 2000
	for _, other := range [][2]dimmnet.Rank{{0, 2}, {2, 1}, {1, 0}} {
		_, nodes := open(t, Config{Nodes: 3, UDP: &UDP{}})
		both := 0
		for range count {
			if x, y := nodes[0].draw(1), nodes[other[0]].draw(other[1]); x < 0.5 && y < 0.5 {
				both++
			}
		}
		if both < count/5 || both > count*3/10 {
			t.Errorf("draws of rank 0 for 1 and %d for %d: both are below 1/2 in %d of %d cases, want a quarter", other[0], other[1], both, count)
		}
	}
}
