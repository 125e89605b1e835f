package inproc

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
	"github.com/fagus-dsm/fagus/dimmnet/live/memory"
)

// run is one call of Network.Run. Its threads are the bodies and the threads that Host.Go started.
type run struct {
	local.Run
	nodes    []node
	poll     time.Duration // Config.Poll
	patience time.Duration // Config.Patience

	// Run.Mu guards the fields below and is the lock of every cond.
	sleepers []*sleeper     // threads that sleep, in no order
	shared   [][][]byte     // the memory that Share and View return, in the order of calls
	sharers  []dimmnet.Rank // the ranks that allocated it
	timer    *time.Timer
}

// node is the memory of a node, and the state for which its threads wait.
type node struct {
	memory.NIC
	notice   *event
	notices  atomic.Uint64
	cond     delay.Cond
	_        [local.CacheLine]byte
	arrivals atomic.Uint64
	// asleep is true while a thread may be asleep. It shares a cache line with arrivals.
	asleep atomic.Bool
	_      [local.CacheLine]byte
}

func newRun(cfg Config, nodes int) (r *run, bodies []*port) {
	r = &run{nodes: make([]node, nodes), poll: cfg.Poll, patience: cfg.Patience}
	nics := make([]*memory.NIC, nodes)
	for i := range r.nodes {
		nics[i] = &r.nodes[i].NIC
	}
	r.Init(networkName, nics, memory.Limits(cfg.LLCM, cfg.Bulk), runtime.GOMAXPROCS(0), 0)
	for i := range r.nodes {
		n := &r.nodes[i]
		n.NIC = memory.NewNIC(cfg.LLCM, cfg.Bulk)
		if cfg.Banks {
			n.Network = make(memory.Words, cfg.Bulk/word)
		}
		n.cond.L = &r.Mu
		n.notice = newEvent(r, dimmnet.Rank(i))
		p := r.newPort(n)
		r.Enter(&p.Thread, dimmnet.Rank(i), "")
		bodies = append(bodies, p)
	}
	return r, bodies
}

func (r *run) newPort(n *node) *port {
	p := &port{run: r, own: n, ladder: local.Ladder{Spin: awake, Every: yieldsPerTime}}
	p.sleeper = sleeper{cond: &n.cond, due: p.due, overdue: p.overdue}
	return p
}

// leave removes p from the threads of the run. If cause is not nil, the run fails.
func (r *run) leave(p *port, cause, shown error) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	if cause != nil {
		r.failLocked(cause, shown)
	}
	r.Leave(&p.Thread)
	if r.Threads() > 0 {
		r.checkDeadlock()
	}
}

func (r *run) fail(err error) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	r.failLocked(err, err)
}

func (r *run) failLocked(cause, err error) {
	if r.Break(cause, err) {
		for _, s := range r.sleepers {
			s.cond.Broadcast()
		}
	}
}
