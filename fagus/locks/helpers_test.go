package locks

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/syncvar"
)

// world is what the ranks of a test share: the memory, and what wakes a rank.
type world struct {
	blocks [][]byte
	mu     delay.Mutex
	hosts  []*host
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

// engines returns the engines of all ranks, each with the variables "v0", "v1", and so on.
func (w *world) engines(vars, spins int) (all []*Engine, err error) {
	data := make([]byte, vars)
	for _, h := range w.hosts {
		space := consistency.NewSpace()
		space.OneCopy()
		e, err := New(single{host: h}, space, Config{})
		if err != nil {
			return nil, err
		}
		e.spins = spins
		var base consistency.Addr
		err = e.Declare(func() (err error) {
			base, err = space.AddRegion("a", "bytes", 1, data)
			return err
		})
		for i := range vars {
			if err != nil {
				return nil, err
			}
			at := base + consistency.Addr(i)
			err = e.Declare(func() error {
				_, err := space.Bind(fmt.Sprint("v", i), []consistency.Range{{Lo: at, Hi: at + 1}})
				return err
			})
		}
		if err != nil {
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

// data is what the variables of a test guard, and who uses them now.
type data struct {
	value            []int // the number of exclusive tenures
	version          []syncvar.Version
	readers, writers []int
}

func newData(vars int) *data {
	return &data{make([]int, vars), make([]syncvar.Version, vars), make([]int, vars), make([]int, vars)}
}
