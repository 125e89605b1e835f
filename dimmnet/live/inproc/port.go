package inproc

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
)

// port is one thread of a node. The lock of the run guards shares, sleeper and seen.
type port struct {
	local.Thread
	run     *run
	own     *node
	shares  int // number of calls of Share and View
	sleeper sleeper
	ladder  local.Ladder
	seen    uint64 // own.arrivals when the thread fell asleep
	_       [local.CacheLine]byte
}

var (
	_ dimmnet.Network = (*Network)(nil)
	_ dimmnet.Host    = (*port)(nil)
	_ dimmnet.Port    = (*port)(nil)
	_ dimmnet.Event   = (*event)(nil)
)

func (p *port) Port() dimmnet.Port { return p }

func (p *port) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	if !p.Thread.Store(dst, off, v, size) {
		return false
	}
	delay.Here()
	p.run.arrive(&p.run.nodes[dst])
	return true
}

func (p *port) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	if !p.Thread.Write(dst, off, b) {
		return false
	}
	delay.Here()
	p.run.arrive(&p.run.nodes[dst])
	return true
}

func (p *port) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	if !p.Thread.Push(dst, from, to, n, done) {
		return false
	}
	delay.Here()
	p.run.arrive(&p.run.nodes[dst])
	delay.Here()
	p.run.arrive(p.own) // the completion store arrives here
	return true
}

func (p *port) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	if !p.Thread.Pull(src, from, to, n, done) {
		return false
	}
	delay.Here()
	p.run.arrive(p.own)
	return true
}

func (p *port) Flip()                  { p.own.Host, p.own.Network = p.own.Network, p.own.Host }
func (p *port) Arrivals() dimmnet.Mark { return dimmnet.Mark(p.own.arrivals.Load()) }
func (p *port) Err() error             { return p.run.Err() }
