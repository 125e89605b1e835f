package threaded

import (
	"errors"
	"fmt"
	"math"
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

// TestScripts runs the scripts in testdata. A block of commands is followed by what they print:
//
//	ranks N [direct]   make N ranks with an array of 1024 bytes each
//	ranks N trees K    the same with Config.Trees, slots of 64 bytes, and a meeting tree with
//	                   K children a rank
//	bind NAME LO HI    bind a variable on every rank
//	ask R V ACCESS     request a variable: shared, exclusive, or brief as in Update
//	land A->B [N]      land the next message from A to B and its data, or only N slots of its
//	                   data; if there is no message, the rest of the data of one
//	stabilize          land all messages, in the order of the ranks, until none is in flight
//	write R ADDR TEXT  write to R's copy, during a tenure
//	read R ADDR N      print N bytes of R's copy
//	release R V        end the tenure; it counts as a write if R has written
//	meet R CALL        wait for all ranks: update, barrier, reduce or return
//	owners V           print which rank each rank takes for the owner
//	wires              print the messages in flight
//	records V          print the records and claims of V that are not zero
//	claim R V AT       let rank R claim V at rank AT, with the word of its claim number 99
//	withdraw R AT      withdraw the claim
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

// world is a set of ranks without threads. The script decides which messages land when.
type world struct {
	ranks []*tenant
	names []string
	out   strings.Builder
}

// tenant is one rank of a world.
type tenant struct {
	*Engine
	memory []byte
	writes map[syncvar.ID]struct{} // variables written in the present tenure
	asked  []syncvar.ID            // requested variables whose grant is not printed yet
	meets  syncvar.Call
}

// tablePort is a port whose stores and Pulls are done at once. The LLCM of every rank is a map.
type tablePort struct {
	dimmnet.Port // nil: any other method panics
	rank         dimmnet.Rank
	tables       []map[dimmnet.Offset]uint64 // by rank
	rdma         int
}

func (p *tablePort) Rank() dimmnet.Rank { return p.rank }
func (p *tablePort) Nodes() int         { return len(p.tables) }
func (p *tablePort) Limits() dimmnet.Limits {
	return dimmnet.Limits{Store: 8, Block: 464, RDMA: p.rdma, LLCM: 128 << 10}
}
func (p *tablePort) Arrivals() dimmnet.Mark         { return 0 }
func (p *tablePort) Err() error                     { return nil }
func (p *tablePort) Load(off dimmnet.Offset) uint64 { return p.tables[p.rank][off] }
func (p *tablePort) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, _ int) bool {
	p.tables[dst][off] = v
	return true
}
func (p *tablePort) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	for i := dimmnet.Offset(0); i < dimmnet.Offset(n); i += dimmnet.WordBytes {
		p.tables[p.rank][to+i] = p.tables[src][from+i]
	}
	p.tables[p.rank][done] = uint64(n)
	return true
}
func (p *tablePort) Idle(dimmnet.Mark) { panic("the script may not wait") }

// noEvent is the event of a thread that does not exist.
type noEvent struct{}

func (noEvent) Set()        {}
func (noEvent) Wait() error { return errors.New("the script may not wait") }

func (w *world) begin(n int, cfg Config) error {
	*w = world{}
	tables := make([]map[dimmnet.Offset]uint64, n)
	for r := range n {
		tables[r] = make(map[dimmnet.Offset]uint64)
		space := consistency.NewSpace()
		memory := make([]byte, 1024)
		if _, err := space.AddRegion("a", "bytes", 1, memory); err != nil {
			return err
		}
		e, err := newEngine(&tablePort{rank: dimmnet.Rank(r), tables: tables, rdma: 1 << 20}, space, cfg)
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
		if err := w.begin(arg(1), Config{Direct: slices.Contains(f, "direct"), Trees: slices.Contains(f, "trees")}); err != nil || len(f) < 4 {
			return err
		}
		for _, r := range w.ranks {
			r.layout.SlotBytes, r.meeting = 64, newMeeting(r.rank, ringbuf.Tree{Nodes: arg(1), Arity: arg(3)})
		}
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
			"shared": {Access: syncvar.Shared}, "exclusive": {Access: syncvar.Exclusive}, "brief": {Access: syncvar.Shared, Brief: true},
		}[f[3]]
		return w.ask(arg(1), w.id(f[2]), want)
	case "land":
		var from, to int
		if _, err := fmt.Sscanf(f[1], "%d->%d", &from, &to); err != nil {
			return err
		}
		if len(f) > 2 {
			return w.land(from, to, arg(2))
		}
		return w.land(from, to, math.MaxInt)
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
	case "records":
		w.records(w.id(f[1]))
	case "claim":
		e := w.ranks[arg(1)].Engine
		return store(e.port, dimmnet.Rank(arg(3)), e.direct.claim(e.rank), claimWord(99, w.id(f[2])))
	case "withdraw":
		e := w.ranks[arg(1)].Engine
		return store(e.port, dimmnet.Rank(arg(2)), e.direct.claim(e.rank), 0)
	default:
		return fmt.Errorf("unknown command")
	}
	return nil
}

func (w *world) ask(rank int, id syncvar.ID, want syncvar.Want) error {
	r := w.ranks[rank]
	r.asked = append(r.asked, id)
	if !want.Brief && want.Access == syncvar.Exclusive {
		r.writes[id] = struct{}{}
	}
	defer w.news(rank)
	if want.Brief {
		if err := r.shut(user, r.port, id, true); err != nil {
			return err
		}
	} else if r.direct.on {
		if acquired, err := r.acquireDirect(id, want.Access); acquired || err != nil {
			return err
		}
	}
	return r.Engine.ask(id, want)
}

// news prints the grants that a rank has received since the last call of news.
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
	if r.meets != 0 && r.meeting.call == 0 {
		fmt.Fprintf(&w.out, "%d goes on from %v\n", rank, r.meets)
		if r.meets == syncvar.Reduce {
			fmt.Fprintf(&w.out, "%d has %v\n", rank, r.meeting.reduced)
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
			r.meets = c
			err := r.arrive(c, word)
			w.news(int(r.rank))
			return err
		}
	}
	return fmt.Errorf("no call %q", call)
}

// land lands the next message from one rank to another with the data that the rank has, but at most
// so many slots of data.
func (w *world) land(from, to, most int) error {
	r := w.ranks[from]
	i := slices.IndexFunc(r.out, func(o outgoing) bool { return int(o.to) == to && !o.said })
	if i < 0 {
		i = slices.IndexFunc(r.out, func(o outgoing) bool { return int(o.to) == to })
	}
	if i < 0 {
		return fmt.Errorf("no message is in flight")
	}
	o := r.out[i]
	r.out = slices.Delete(r.out, i, i+1)
	var slots []incoming
	if !o.said {
		for i, word := range o.words {
			slots = append(slots, words(r.rank, i, word))
		}
		slots, o.said = append(slots, slotOf(r.rank, o.m)), true
	}
	if st := o.stream; st != nil {
		for ; o.cut < len(st.Cuts) && most > 0; most-- {
			c := st.Cuts[o.cut]
			o.cut++
			head := ringbuf.Header{Kind: ringbuf.Data, Sender: r.rank, Addr: uint64(c.Lo), Len: c.Len(), Age: c.Age, Last: st.Complete && o.cut == len(st.Cuts)}
			slots = append(slots, incoming{r.rank, head, slices.Clone(r.space.Bytes(c.Range))})
		}
		switch {
		case o.cut < len(st.Cuts):
			r.out = slices.Insert(r.out, i, o)
		case st.Complete:
			r.flowing--
		default:
			r.park(&o)
		}
	}
	for _, in := range slots {
		e := w.ranks[to].Engine
		if err := e.prepare(e.port, in); err != nil {
			return err
		}
		err := e.handleSlot(in)
		if e.serving = 0; err != nil {
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
				if err := w.land(from, int(r.out[0].to), math.MaxInt); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// owners prints the hint of every rank, and the hint in its table if that is newer.
func (w *world) owners(id syncvar.ID) {
	for i, r := range w.ranks {
		own, entry := r.site(id).Hint(), r.hints.load(r.port, id)
		fmt.Fprintf(&w.out, "%d: rank %d since version %d", i, own.Owner, own.Version)
		if entry.Version > own.Version {
			fmt.Fprintf(&w.out, ", its table says rank %d since version %d", entry.Owner, entry.Version)
		}
		fmt.Fprintln(&w.out)
	}
}

// records prints what ranks have written about a variable for others to take it.
func (w *world) records(id syncvar.ID) {
	for i, r := range w.ranks {
		at, _ := r.hints.word(id)
		state, open := "open", openOf(r.port.Load(at+openAt))
		if open.closed {
			state = "closed"
		}
		fmt.Fprintf(&w.out, "%d: %s in version %d, written in version %d", i, state, open.version, open.written)
		if taken := syncvar.HintOf(r.port.Load(at + takenAt)); taken.Version > 0 {
			fmt.Fprintf(&w.out, ", taken by rank %d in version %d", taken.Owner, taken.Version)
		}
		for c := range w.ranks {
			if claims(r.port.Load(r.direct.claim(dimmnet.Rank(c))), id) {
				fmt.Fprintf(&w.out, ", claimed by rank %d", c)
			}
		}
		fmt.Fprintln(&w.out)
	}
}

// wires prints the messages in flight.
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
		access := m.access.String()
		if m.flag {
			access = "brief"
		}
		return fmt.Sprintf("request of rank %d for %s, %s, has version %d", m.rank, w.names[m.id], access, m.since)
	case grant:
		text := fmt.Sprintf("grant of %s, version %d", w.names[m.id], m.version)
		if o.said {
			text = "rest of " + w.names[m.id]
		}
		if m.passed && !o.said {
			text = fmt.Sprintf("grant by rank %d of %s, version %d", m.rank, w.names[m.id], m.version)
		}
		if o.stream != nil {
			bytes := 0
			for _, c := range o.stream.Cuts[o.cut:] {
				bytes += c.Len()
			}
			text += fmt.Sprintf(" and %d bytes", bytes)
			if !o.stream.Complete {
				text += ", more to come"
			}
		}
		return text
	case release:
		return "release of " + w.names[m.id]
	case pass:
		return fmt.Sprintf("wish that %s, version %d, be passed on to rank %d, which has version %d", w.names[m.id], m.version, m.rank, m.since)
	case arrive:
		if len(o.words) > 0 {
			return fmt.Sprintf("waits in %v with %v", m.call, o.words)
		}
		return fmt.Sprintf("waits in %v", m.call)
	}
	return fmt.Sprintf("all are in %v", m.call)
}
