//go:build linux

package shm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/cpuset"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
	"github.com/fagus-dsm/fagus/dimmnet/live/memory"
)

type run struct {
	local.Run
	segments []*segment     // by rank
	own      []dimmnet.Rank // the ranks of this process
	procs    int            // processors of all ranks
	patience time.Duration  // Config.Patience
	barriers bool           // ranks that go to sleep execute the barriers for posting ranks
	joined   bool           // this process is one rank
	calmed   bool           // the result of local.CalmMonitor
	_        [local.CacheLine]byte

	events []*event // of this process; guarded by Run.Mu
}

func newRun(cfg Config, segments []*segment, own []dimmnet.Rank) (r *run, bodies []*port) {
	r = &run{segments: segments, own: own, patience: cfg.Patience, procs: processors(segments)}
	nics := make([]*memory.NIC, len(segments))
	for rank, s := range segments {
		nics[rank] = &s.NIC
	}
	r.Init(networkName, nics, memory.Limits(cfg.LLCM, cfg.Bulk), r.procs, len(segments)-len(own))
	if r.barriers = cheapBarriers(segments, r.procs); r.barriers {
		r.Release()
	}
	for _, rank := range own {
		p := r.newPort(rank)
		r.Enter(&p.Thread, rank, "")
		bodies = append(bodies, p)
	}
	return r, bodies
}

// processors counts the processors that the ranks may use together: each may be bound to some.
func processors(segments []*segment) int {
	var all cpuset.Set
	for _, s := range segments {
		all.Join(s.cpus[:])
	}
	return all.Count()
}

// cheapBarriers reports whether ranks that go to sleep execute the barriers for posting ranks: if
// every process has registered, and ranks sleep seldom, because each has a processor.
func cheapBarriers(segments []*segment, procs int) bool {
	return len(segments) <= procs && !slices.ContainsFunc(segments, func(s *segment) bool { return s.barriers == 0 })
}

func (r *run) left() bool {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	return r.Threads() > 0
}

func (r *run) leave(p *port, cause, shown error) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	if cause != nil {
		r.failRank(p.Rank(), cause, shown)
	}
	r.Leave(&p.Thread)
}

func (r *run) fail(err error) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	r.failRank(r.own[0], err, err)
}

// failRank fails the run because of rank, and reports the failure to all ranks. The lock is held.
func (r *run) failRank(rank dimmnet.Rank, cause, shown error) {
	if r.Failed() {
		return
	}
	r.segments[rank].setReason(strings.TrimPrefix(dimmnet.Reason(cause), fmt.Sprintf("%s: rank %d is gone: ", networkName, rank)), dimmnet.IsGone(cause))
	delay.Here()
	r.breakLocal(cause, shown)
	for _, s := range r.segments {
		delay.Here()
		s.fail(rank)
	}
}

// breakLocal fails the run in this process. The lock is held.
func (r *run) breakLocal(cause, shown error) {
	if r.Break(cause, shown) {
		for _, e := range r.events {
			delay.Here()
			e.flag.set(false)
		}
	}
}

func (r *run) adopt(s *segment) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	if r.Failed() {
		return
	}
	rank := dimmnet.Rank(s.failed.Load() - 1)
	f := &dimmnet.Failed{Network: networkName, Rank: rank, Why: "it gave no reason"}
	if int(rank) < len(r.segments) {
		s := r.segments[rank]
		if f.Why = s.reasonText(); s.gone.Load() == 1 {
			f.Why, f.Lost = "", errors.New(f.Why)
		}
	}
	r.breakLocal(f, f)
}

func (r *run) failureAt(s *segment) error {
	if !r.Failed() {
		if s.failed.Load() == 0 {
			return nil
		}
		r.adopt(s)
	}
	return r.Err()
}

// lost fails the run because the process of rank has ended or is stopped, and cannot report why.
func (r *run) lost(rank dimmnet.Rank, why error) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	err := &dimmnet.Failed{Network: networkName, Rank: rank, Lost: why}
	r.failRank(rank, err, err)
}
