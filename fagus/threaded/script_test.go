package threaded

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestScripts runs the conversations in testdata. A script is a block of commands,
// a line each; what they print stands below:
//
//	ranks N            begin, with an array of 1024 bytes
//	bind NAME LO HI    at every rank
//	ask R V MODE       request one variable: shared, exclusive, or brief as Update does
//	land A->B          the next message that A has sent to B arrives, and its data
//	stabilize          land all, in the order of the ranks, until nothing is on its way
//	write R ADDR TEXT  to R's copy, inside a tenure
//	read R ADDR N      from R's copy
//	release R V        end the tenure, which has changed something if R wrote
//	meet R CALL        wait for all: update, barrier or return
//	owners V           who each rank takes for the owner
//	wires              what is on its way
//
// go test -rewrite updates them.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		w := &world{}
		datadriven.RunTest(t, path, func(_ *testing.T, td *datadriven.TestData) string {
			w.out.Reset()
			for line := range strings.Lines(td.Input) {
				if err := w.do(strings.Fields(line)); err != nil {
					fmt.Fprintf(&w.out, "%s: error: %v\n", strings.TrimSpace(line), err)
				}
			}
			return w.out.String()
		})
	})
}

// world is some ranks without threads; the script decides what lands when.
type world struct {
	ranks []*tenant
	names []string
	out   strings.Builder
}

// tenant is a rank of a world.
type tenant struct {
	*Engine
	memory []byte
	writes map[syncvar.ID]struct{} // exclusive tenures
	asked  []syncvar.ID
	meets  syncvar.Call
}

// tablePort is the port of a rank whose stores land at once in the tables.
type tablePort struct {
	dimmnet.Port // nil: any other method panics
	rank         dimmnet.Rank
	tables       []map[dimmnet.Offset]uint64 // by rank
}

func (p *tablePort) Rank() dimmnet.Rank { return p.rank }
func (p *tablePort) Nodes() int         { return len(p.tables) }
func (p *tablePort) Limits() dimmnet.Limits {
	return dimmnet.Limits{Store: 8, Block: 464, LLCM: 128 << 10}
}
func (p *tablePort) Arrivals() dimmnet.Mark         { return 0 }
func (p *tablePort) Err() error                     { return nil }
func (p *tablePort) Load(off dimmnet.Offset) uint64 { return p.tables[p.rank][off] }
func (p *tablePort) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, _ int) bool {
	p.tables[dst][off] = v
	return true
}

// noEvent is the event of a thread that is not there.
type noEvent struct{}

func (noEvent) Set()        {}
func (noEvent) Wait() error { return errors.New("the script may not wait") }

func (w *world) begin(n int) error {
	*w = world{}
	tables := make([]map[dimmnet.Offset]uint64, n)
	for r := range n {
		tables[r] = make(map[dimmnet.Offset]uint64)
		space := consistency.NewSpace()
		memory := make([]byte, 1024)
		if _, err := space.AddRegion("a", "bytes", memory); err != nil {
			return err
		}
		e, err := newEngine(&tablePort{rank: dimmnet.Rank(r), tables: tables}, space, false)
		if err != nil {
			return err
		}
		for t := range e.events {
			e.events[t] = noEvent{}
		}
		w.ranks = append(w.ranks, &tenant{Engine: e, memory: memory, writes: make(map[syncvar.ID]struct{})})
	}
	return nil
}

func (w *world) id(name string) syncvar.ID { return syncvar.ID(slices.Index(w.names, name)) }

func (w *world) do(f []string) error {
	arg := func(i int) int {
		n, err := strconv.Atoi(f[i])
		if err != nil {
			panic(err)
		}
		return n
	}
	switch f[0] {
	case "ranks":
		return w.begin(arg(1))
	case "bind":
		w.names = append(w.names, f[1])
		for _, r := range w.ranks {
			const base = consistency.PageBytes
			if _, err := r.space.Bind(f[1], []consistency.Range{{Lo: base + consistency.Addr(arg(2)), Hi: base + consistency.Addr(arg(3))}}); err != nil {
				return err
			}
		}
	case "ask":
		want := map[string]syncvar.Want{
			"shared": {Mode: syncvar.Shared}, "exclusive": {Mode: syncvar.Exclusive}, "brief": {Mode: syncvar.Shared, Brief: true},
		}[f[3]]
		return w.ask(arg(1), w.id(f[2]), want)
	case "land":
		var from, to int
		if _, err := fmt.Sscanf(f[1], "%d->%d", &from, &to); err != nil {
			return err
		}
		return w.land(from, to)
	case "stabilize":
		return w.stabilize()
	case "write":
		copy(w.ranks[arg(1)].memory[arg(2):], f[3])
	case "read":
		fmt.Fprintf(&w.out, "%d reads %q\n", arg(1), w.ranks[arg(1)].memory[arg(2):arg(2)+arg(3)])
	case "release":
		return w.release(w.ranks[arg(1)], w.id(f[2]))
	case "meet":
		word := uint64(0)
		if len(f) > 3 {
			word = uint64(arg(3))
		}
		return w.meet(w.ranks[arg(1)], f[2], word)
	case "owners":
		w.owners(w.id(f[1]))
	case "wires":
		w.wires()
	default:
		return fmt.Errorf("unknown command")
	}
	return nil
}

func (w *world) ask(rank int, id syncvar.ID, want syncvar.Want) error {
	r := w.ranks[rank]
	r.asked = append(r.asked, id)
	if !want.Brief && want.Mode == syncvar.Exclusive {
		r.writes[id] = struct{}{}
	}
	err := r.Engine.ask(id, want)
	w.news(rank)
	return err
}

// news prints what a rank has waited for and has now.
func (w *world) news(rank int) {
	r := w.ranks[rank]
	r.asked = slices.DeleteFunc(r.asked, func(id syncvar.ID) bool {
		if r.wanted[id] != nil {
			return false
		}
		fmt.Fprintf(&w.out, "%d has %s of version %d\n", rank, w.names[id], r.site(id).Have())
		if _, exclusive := r.writes[id]; exclusive {
			r.space.BeginWrite(id, nil)
		}
		return true
	})
	if r.meets != 0 && r.waits == 0 {
		fmt.Fprintf(&w.out, "%d goes on from %v\n", rank, r.meets)
		if r.meets == syncvar.Reduce {
			fmt.Fprintf(&w.out, "%d has %v\n", rank, r.words)
		}
		r.meets = 0
	}
}

func (w *world) release(r *tenant, id syncvar.ID) error {
	changed := false
	if _, exclusive := r.writes[id]; exclusive {
		delete(r.writes, id)
		changed = r.space.EndWrite(id, r.Version(id))
	}
	err := r.Engine.release(id, changed)
	w.news(int(r.rank))
	return err
}

func (w *world) meet(r *tenant, call string, word uint64) error {
	for _, c := range []syncvar.Call{syncvar.Update, syncvar.Barrier, syncvar.End, syncvar.Reduce} {
		if strings.EqualFold(c.String(), call) {
			r.waits, r.meets, r.words = c, c, nil
			m := message{op: arrive, call: c, word: word}
			r.declare(&m)
			err := r.queue(outgoing{to: 0, m: m})
			w.news(int(r.rank))
			return err
		}
	}
	return fmt.Errorf("no call %q", call)
}

// land lets the next message from one rank to another arrive.
func (w *world) land(from, to int) error {
	r := w.ranks[from]
	i := slices.IndexFunc(r.out, func(o outgoing) bool { return int(o.to) == to })
	if i < 0 {
		return fmt.Errorf("nothing is on its way")
	}
	o := r.out[i]
	r.out = slices.Delete(r.out, i, i+1)
	var slots []incoming
	for i, word := range o.words {
		slots = append(slots, words(r.rank, i, word))
	}
	slots = append(slots, said(r.rank, o.m))
	if o.stream != nil {
		for i, c := range o.stream.Cuts {
			head := ringbuf.Header{Kind: ringbuf.Data, Sender: r.rank, Addr: uint64(c.Lo), Len: c.Len(), Age: c.Age, Last: i == len(o.stream.Cuts)-1}
			slots = append(slots, incoming{r.rank, head, slices.Clone(r.space.Bytes(c.Range))})
		}
	}
	for _, in := range slots {
		if err := w.ranks[to].act(in); err != nil {
			return err
		}
	}
	w.news(to)
	return nil
}

func (w *world) stabilize() error {
	for moved := true; moved; {
		moved = false
		for from, r := range w.ranks {
			for len(r.out) > 0 {
				moved = true
				if err := w.land(from, int(r.out[0].to)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// owners prints the hints of all ranks, their tables' included.
func (w *world) owners(id syncvar.ID) {
	for i, r := range w.ranks {
		own, told := r.site(id).Hint(), r.hints.load(r.port, id)
		fmt.Fprintf(&w.out, "%d: rank %d since version %d", i, own.Owner, own.Version)
		if told.Version > own.Version {
			fmt.Fprintf(&w.out, ", its table says rank %d since version %d", told.Owner, told.Version)
		}
		fmt.Fprintln(&w.out)
	}
}

// wires prints what is on its way.
func (w *world) wires() {
	for i, r := range w.ranks {
		for _, o := range r.out {
			fmt.Fprintf(&w.out, "%d->%d %s\n", i, o.to, w.describe(&o))
		}
	}
}

func (w *world) describe(o *outgoing) string {
	m := &o.m
	switch m.op {
	case request:
		mode := m.mode.String()
		if m.flag {
			mode = "brief"
		}
		return fmt.Sprintf("request of rank %d for %s, %s, has version %d", m.rank, w.names[m.id], mode, m.since)
	case grant:
		text := fmt.Sprintf("grant of %s, version %d", w.names[m.id], m.version)
		if o.stream != nil {
			bytes := 0
			for _, c := range o.stream.Cuts {
				bytes += c.Len()
			}
			text += fmt.Sprintf(" and %d bytes", bytes)
		}
		return text
	case release:
		return "release of " + w.names[m.id]
	case arrive:
		return fmt.Sprintf("waits in %v", m.call)
	}
	return fmt.Sprintf("all are in %v", m.call)
}
