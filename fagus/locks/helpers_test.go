package locks

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/syncvar"
)

// world is what the ranks of a test share: the memory, and the means to wake a rank.
type world struct {
	private bool     // the ranks have copies of their own
	memory  [][]byte // by rank: the data; with one copy the memory of rank 0 is for all
	blocks  [][]byte
	mu      delay.Mutex
	hosts   []*host
}

// host is the port of a rank of a world. It has only the methods that locks need.
type host struct {
	dimmnet.Port
	*world
	rank     dimmnet.Rank
	shares   int
	arrivals atomic.Uint64
	cond     delay.Cond
	err      atomic.Pointer[error]
}

func newWorld(nodes int) *world {
	w := &world{}
	for r := range nodes {
		h := &host{world: w, rank: dimmnet.Rank(r)}
		h.cond.L = &w.mu
		w.hosts = append(w.hosts, h)
	}
	return w
}

func (h *host) Rank() dimmnet.Rank     { return h.rank }
func (h *host) Nodes() int             { return len(h.hosts) }
func (h *host) Limits() dimmnet.Limits { return dimmnet.Limits{Store: 8, Block: 464, LLCM: 1 << 17} }
func (h *host) Sharing() bool          { return true }

func (h *host) Share(n int) ([]byte, error) {
	if h.shares == len(h.blocks) {
		words := make([]uint64, n/8) // so that they are aligned
		h.blocks = append(h.blocks, unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n))
	}
	h.shares++
	return h.blocks[h.shares-1], nil
}

func (h *host) Store(dst dimmnet.Rank, _ dimmnet.Offset, _ uint64, _ int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	to := h.hosts[dst]
	to.arrivals.Add(1)
	to.cond.Broadcast()
	return true
}

func (h *host) Arrivals() dimmnet.Mark { return dimmnet.Mark(h.arrivals.Load()) }

// Idle sleeps until something arrives: nothing else wakes the rank.
func (h *host) Idle(since dimmnet.Mark) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.Arrivals() == since && h.err.Load() == nil {
		h.cond.Wait()
	}
}

func (h *host) Err() error {
	if err := h.err.Load(); err != nil {
		return *err
	}
	return nil
}

// kill fails the ports of all ranks.
func (w *world) kill(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range w.hosts {
		h.err.Store(&err)
		h.cond.Broadcast()
	}
}

// single is a host whose Port is the host itself.
type single struct {
	dimmnet.Host
	*host
}

func (s single) Port() dimmnet.Port       { return s.host }
func (s single) Charge(dimmnet.Work, int) {}

// A variable of a test guards a cell of so many bytes. A tenure changes one word of the cell.
const (
	cellBytes = 8 * wordBytes
	wordBytes = 8
)

// declare declares the variables "v0", "v1", and so on. as calls a function that declares one.
func (w *world) declare(space *consistency.Space, rank, vars int, as func(f func() error) error) error {
	if len(w.memory) == 0 {
		for range w.hosts {
			w.memory = append(w.memory, make([]byte, vars*cellBytes))
		}
	}
	if !w.private {
		rank = 0
	}
	var base consistency.Addr
	err := as(func() (err error) {
		base, err = space.AddRegion("a", "bytes", 1, w.memory[rank])
		if err == nil && w.private {
			space.SetViews(base, w.memory)
		}
		return err
	})
	for i := range vars {
		if err != nil {
			return err
		}
		at := base + consistency.Addr(i*cellBytes)
		err = as(func() error {
			_, err := space.Bind(fmt.Sprint("v", i), []consistency.Range{{Lo: at, Hi: at + cellBytes}})
			return err
		})
	}
	return err
}

// engines returns the engines of all ranks, with their variables declared.
func (w *world) engines(vars, spins int) (all []*Engine, err error) {
	for rank, h := range w.hosts {
		space := consistency.NewSpace()
		if !w.private {
			space.OneCopy()
		}
		e, err := New(single{host: h}, space, Config{})
		if err != nil {
			return nil, err
		}
		e.spins = spins
		if err := w.declare(space, rank, vars, e.Declare); err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// tenured is one tenure of a rank in a test: the variables that it acquires.
type tenured struct{ shared, exclusive []syncvar.ID }

func reads(ids ...syncvar.ID) tenured  { return tenured{shared: ids} }
func writes(ids ...syncvar.ID) tenured { return tenured{exclusive: ids} }

// data is what the variables of a test guard, and which ranks use them now.
type data struct {
	value            []int // the number of exclusive tenures
	cells            [][cellBytes]byte
	version          []syncvar.Version
	readers, writers []int
}

func newData(vars int) *data {
	return &data{make([]int, vars), make([][cellBytes]byte, vars), make([]syncvar.Version, vars), make([]int, vars), make([]int, vars)}
}

func (e *Engine) cell(id syncvar.ID) []byte { return e.space.Bytes(e.space.Ranges(id)[0]) }

// read compares what a rank that holds a variable sees with what earlier tenures wrote.
func (d *data) read(e *Engine, id syncvar.ID) error {
	if got := e.cell(id); !bytes.Equal(got, d.cells[id][:]) {
		return fmt.Errorf("rank %d reads %v in v%d, want %v", e.rank, got, id, d.cells[id])
	}
	return nil
}

// write begins to write in an exclusive tenure. It changes one word, in every third tenure none.
func (d *data) write(e *Engine, id syncvar.ID) {
	e.space.BeginWrite(id, nil)
	if v := e.Version(id); v%3 != 0 {
		at := v * wordBytes % cellBytes
		e.cell(id)[at] = byte(v)
		d.cells[id][at] = byte(v)
	}
}

// leave ends a tenure of t.
func (e *Engine) leave(t tenured) error {
	var written []syncvar.ID
	for _, id := range t.exclusive {
		if e.space.EndWrite(id, e.Version(id)) {
			written = append(written, id)
		}
	}
	return e.Release(t.shared, t.exclusive, written)
}
