package phase_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/phase"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestScripts runs the scripts in testdata. A block of commands is followed by what they print:
//
//	inline               the next ranks command makes ports with inline requests
//	views                the next ranks command makes ranks that read each other's memory
//	whole N              as views and inline; variables of up to N bytes are copied whole
//	help                 as views and inline, with cooperative copies and arrays of 2 MiB
//	zerocopy             the next ranks command makes ports with inline requests and ZeroCopy
//	ranks N              make N ranks with an array of 1024 bytes each
//	ranks N push B       the same with B bytes of bulk memory; data go by PUSH
//	ranks N auto B       the same; only large data go by PUSH
//	ranks N auto B L     the same as auto, with an LLCM of L bytes
//	ranks N tree B       the same as push; lists travel over a tree
//	bind NAME LO HI      bind a variable on every rank
//	acquire R V:ACCESS.. begin an Acquire at rank R, which holds nothing
//	update R, barrier R, end R
//	fence R              R's next call is behind a Fence
//	reduce R WORD        begin a Reduce with a hexadecimal word
//	land A->B            land all posts from A to B so far, then step B
//	land A->B N          land only the first N posts
//	stabilize            land and step until nothing moves
//	write R ADDR TEXT    write to R's copy, during a tenure
//	fill R BYTE          fill R's copy
//	read R ADDR N        print N bytes of R's copy
//	release R
//	newer R NAME V       print the pieces of R's copy that are newer than version V
//	count R              print what R has sent
//	tables               print the table, which must be the same on all ranks
//	status               print what each rank waits for
//
// go test -rewrite updates them.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if filepath.Ext(path) != ".txt" {
			return
		}
		w := &world{}
		datadriven.RunTest(t, path, func(t *testing.T, td *datadriven.TestData) string {
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

// world is a set of ranks on a network. The script decides when each post lands.
type world struct {
	ranks    []*scriptRank
	names    []string
	inline   bool // ports have inline requests
	tree     bool // lists travel over a tree
	views    bool // ranks read each other's memory
	whole    int  // variables of up to so many bytes are copied whole
	help     bool // ranks copy to each other's memory too
	zeroCopy bool // ports have ZeroCopy
	out      strings.Builder
}

type scriptRank struct {
	port      *scriptPort
	space     *consistency.Space
	engine    *phase.Engine
	base      consistency.Addr
	mem       []byte
	call      syncvar.Call // 0 while the rank computes
	list      syncvar.List
	exclusive []syncvar.ID // held exclusively
	clean     []syncvar.ID
	attached  []syncvar.ID
	fenced    bool // the next call is behind a Fence
}

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
		limits := scriptLimits(64 << 10)
		by := phase.Auto
		if len(f) > 2 {
			limits.RDMA, limits.Bulk = 64, arg(3)
		}
		if len(f) > 2 && f[2] != "auto" && !w.views {
			by = phase.Push
		}
		if len(f) > 4 {
			limits.LLCM = arg(4)
		}
		w.tree = len(f) > 2 && f[2] == "tree"
		return w.begin(arg(1), limits, by)
	case "inline":
		w.inline = true
	case "views":
		w.views = true
	case "whole":
		w.inline, w.views, w.whole = true, true, arg(1)
	case "help":
		w.inline, w.views, w.help = true, true, true
	case "zerocopy":
		w.inline, w.zeroCopy = true, true
	case "bind":
		w.names = append(w.names, f[1])
		for _, r := range w.ranks {
			lo, hi := r.base+consistency.Addr(arg(2)), r.base+consistency.Addr(arg(3))
			if _, err := r.space.Bind(f[1], []consistency.Range{{Lo: lo, Hi: hi}}); err != nil {
				return err
			}
		}
	case "acquire":
		return w.acquire(arg(1), f[2:])
	case "fence":
		w.ranks[arg(1)].fenced = true
	case "update":
		return w.start(arg(1), syncvar.List{Call: syncvar.Update})
	case "barrier":
		return w.start(arg(1), syncvar.List{Call: syncvar.Barrier})
	case "reduce":
		word, err := strconv.ParseUint(f[2], 16, 64)
		if err != nil {
			return err
		}
		return w.start(arg(1), syncvar.List{Call: syncvar.Reduce, Word: word})
	case "end":
		return w.start(arg(1), syncvar.List{Call: syncvar.End})
	case "land":
		var from, to int
		if _, err := fmt.Sscanf(f[1], "%d->%d", &from, &to); err != nil {
			return err
		}
		if len(f) > 2 {
			w.landFirst(from, to, arg(2))
		} else {
			w.land(from, to)
		}
		return w.step(to)
	case "stabilize":
		return w.stabilize()
	case "write":
		copy(w.ranks[arg(1)].mem[arg(2):], f[3])
	case "fill":
		copy(w.ranks[arg(1)].mem, bytes.Repeat([]byte(f[2]), len(w.ranks[arg(1)].mem)))
	case "count":
		c := w.ranks[arg(1)].engine.Counts()
		fmt.Fprintf(&w.out, "%d has sent %d transfers in %d slots and %d bulk messages, by %d PUSHes\n",
			arg(1), c.Transfers, c.Slots, c.Bulk, w.ranks[arg(1)].port.pushes)
	case "read":
		fmt.Fprintf(&w.out, "%d reads %q\n", arg(1), w.ranks[arg(1)].mem[arg(2):arg(2)+arg(3)])
	case "newer":
		r := w.ranks[arg(1)]
		for _, p := range r.space.Newer(syncvar.ID(slices.Index(w.names, f[2])), syncvar.Version(arg(3))) {
			fmt.Fprintf(&w.out, "%d: bytes %d to %d of version %d\n", arg(1), p.Lo-r.base, p.Hi-r.base, p.Version)
		}
	case "release":
		w.release(arg(1))
	case "tables":
		return w.tables()
	case "status":
		w.status()
	default:
		return fmt.Errorf("unknown command")
	}
	return nil
}

func (w *world) acquire(rank int, wants []string) error {
	l := syncvar.List{Call: syncvar.Acquire}
	for id, name := range w.names {
		for _, want := range wants {
			switch want {
			case name + ":exclusive":
				l.Exclusive = append(l.Exclusive, syncvar.ID(id))
			case name + ":shared":
				l.Shared = append(l.Shared, syncvar.ID(id))
			}
		}
	}
	return w.start(rank, l)
}

func (w *world) start(rank int, l syncvar.List) error {
	r := w.ranks[rank]
	if r.call != 0 {
		return fmt.Errorf("rank %d is in %v", rank, r.call)
	}
	l.Since, l.Clean, l.Attached, l.Fenced = r.engine.Counts().Phases, r.clean, r.attached, r.fenced
	r.call, r.list, r.clean, r.attached, r.fenced = l.Call, l, nil, nil, false
	if err := r.engine.Begin(l); err != nil {
		return err
	}
	return w.step(rank)
}

func (w *world) release(rank int) {
	r := w.ranks[rank]
	for _, id := range r.exclusive {
		if !r.space.EndWrite(id, r.engine.Table().State(id).Version) {
			r.clean = append(r.clean, id)
		} else if len(r.exclusive) == 1 {
			r.attached = []syncvar.ID{id}
		}
	}
	r.exclusive = nil
}

// step steps a rank until it makes no progress, through as many phases as its call takes.
func (w *world) step(rank int) error {
	r := w.ranks[rank]
	for r.call != 0 {
		if !r.engine.Done() {
			progress, err := r.engine.Step()
			if err != nil {
				if w.zeroCopy && r.port.abandoned != 1 {
					panic(fmt.Sprintf("rank %d has failed and abandoned its transfers %d times", rank, r.port.abandoned))
				}
				r.call = 0
				fmt.Fprintf(&w.out, "%d: error: %v\n", rank, err)
				return nil
			}
			if !progress {
				return nil
			}
			continue
		}
		phases := r.engine.Counts().Phases
		if r.engine.Finished(r.call) {
			fmt.Fprintf(&w.out, "%d: %v done in phase %d\n", rank, r.call, phases-1)
			if r.call == syncvar.Reduce {
				fmt.Fprintf(&w.out, "%d has %x\n", rank, r.engine.Words())
			}
			for _, id := range r.list.Exclusive {
				r.space.BeginWrite(id, nil)
			}
			r.exclusive = r.list.Exclusive
			r.call = 0
			return nil
		}
		fmt.Fprintf(&w.out, "%d: %v waits after phase %d\n", rank, r.call, phases-1)
		r.list = r.engine.Again(r.list)
		if err := r.engine.Begin(r.list); err != nil {
			return err
		}
	}
	return nil
}

// land lands all posts from rank from to rank to.
func (w *world) land(from, to int) (n int) {
	n = len(w.ranks[from].port.out[to])
	w.landFirst(from, to, n)
	return n
}

// landFirst lands the first n posts from one rank to another.
func (w *world) landFirst(from, to, n int) {
	out := w.ranks[from].port.out
	queue := out[to][:n]
	out[to] = out[to][n:]
	for _, appear := range queue {
		appear()
	}
}

func (w *world) stabilize() error {
	for moved := true; moved; {
		moved = false
		for to := range w.ranks {
			for from := range w.ranks {
				if w.land(from, to) > 0 {
					moved = true
				}
			}
			if err := w.step(to); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *world) tables() error {
	first := w.ranks[0].engine.Table().String()
	for i, r := range w.ranks {
		if s := r.engine.Table().String(); s != first {
			return fmt.Errorf("rank %d has another table:\n%s", i, s)
		}
	}
	w.out.WriteString(first)
	return nil
}

func (w *world) status() {
	for i, r := range w.ranks {
		if r.call == 0 {
			fmt.Fprintf(&w.out, "%d: computes\n", i)
		} else {
			fmt.Fprintf(&w.out, "%d: %v in phase %d, waits for %s\n", i, r.call, r.engine.Counts().Phases, r.engine.Waiting())
		}
	}
}
