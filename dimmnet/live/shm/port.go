//go:build linux

package shm

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
)

type port struct {
	local.Thread
	run       *run
	own       *segment
	notice    *event
	heapUsed  int // bytes of each heap that Share and View have allocated
	ladder    local.Ladder
	announces bool // the next Arrivals announces that the thread may sleep
	_         [local.CacheLine]byte
}

var (
	_ dimmnet.Network = (*Network)(nil)
	_ dimmnet.Host    = (*port)(nil)
	_ dimmnet.Port    = (*port)(nil)
	_ dimmnet.Event   = (*event)(nil)
	_ dimmnet.Sharer  = (*port)(nil)
	_ dimmnet.Viewer  = (*port)(nil)
)

func (r *run) newPort(rank dimmnet.Rank) *port {
	own := r.segments[rank]
	return &port{run: r, own: own, ladder: local.Ladder{Spin: local.DefaultSpin, Crowded: local.DefaultSpin, Every: pollsPerTime}, notice: &event{run: r, own: own, rank: rank, flag: &own.notice, shared: true}}
}

func (p *port) Port() dimmnet.Port { return p }

func (p *port) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	if !p.Thread.Store(dst, off, v, size) {
		return false
	}
	p.progress()
	delay.Here()
	p.run.segments[dst].arrive()
	return true
}

func (p *port) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	if !p.Thread.Write(dst, off, b) {
		return false
	}
	p.progress()
	delay.Here()
	p.run.segments[dst].arrive()
	return true
}

func (p *port) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	if !p.Thread.Push(dst, from, to, n, done) {
		return false
	}
	delay.Here()
	p.run.segments[dst].arrive()
	delay.Here()
	p.own.arrive() // the completion store arrives here
	return true
}

func (p *port) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	if !p.Thread.Pull(src, from, to, n, done) {
		return false
	}
	delay.Here()
	p.own.arrive()
	return true
}

func (p *port) Err() error { return p.run.failureAt(p.own) }
