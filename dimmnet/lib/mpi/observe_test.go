package mpi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// outcome is what a rank observed of one line of its program.
type outcome struct {
	started  bool
	returned bool // the call returned
	request  *Request
	done     bool // its send or receive is complete
	status   Status
	short    bool // the error was ErrTruncated
	p        []byte
}

// observation is the result of a run of a program.
type observation struct {
	deadlock bool
	outcomes [][]outcome // by rank and line
}

// content returns the bytes that a line of a rank sends.
func (p *program) content(rank, index int) []byte {
	return noise(p.lines[rank][index].n, p.seed<<16+uint64(rank*1000+index))
}

// observe runs p and returns what it observed.
func (p *program) observe(network dimmnet.Network) (*observation, error) {
	o := &observation{outcomes: make([][]outcome, p.nodes)}
	for rank := range p.lines {
		o.outcomes[rank] = make([]outcome, len(p.lines[rank]))
	}
	if p.link == nil {
		network = checkRings(network, p.opts)
	}
	err := network.Run(context.Background(), p.nodes, func(h dimmnet.Host) error {
		opts := p.opts
		if p.link != nil {
			opts.Link = p.link(h.Port())
		}
		return Run(h, opts, func(c *Comm) error { return p.play(h, c, o.outcomes[c.Rank()]) })
	})
	if errors.Is(err, dimmnet.ErrDeadlock) || err != nil && strings.Contains(err.Error(), "nothing arrived") {
		o.deadlock, err = true, nil
	}
	for _, list := range o.outcomes {
		for i := range list {
			// Include completed requests that no call has waited for.
			if r := list[i].request; r != nil && r.done && !list[i].done {
				list[i].finish(r.status, r.err)
			}
		}
	}
	return o, err
}

// finish records the result of a request.
func (x *outcome) finish(s Status, err error) {
	x.done, x.status, x.short = true, s, errors.Is(err, ErrTruncated)
}

// communicators returns c, a Dup of c, and the half of a Split that contains the rank.
func communicators(c *Comm) ([]*Comm, error) {
	dup, err := c.Dup()
	if err != nil {
		return nil, err
	}
	split, err := c.Split(c.Rank()%2, -c.Rank())
	return []*Comm{c, dup, split}, err
}

// play runs the program of one rank.
func (p *program) play(h dimmnet.Host, c *Comm, list []outcome) error {
	comms, err := communicators(c)
	if err != nil {
		return err
	}
	for i, l := range p.lines[c.Rank()] {
		h.Spend(dimmnet.Time(l.spend) * dimmnet.Microsecond)
		list[i].started = true
		if err := p.call(comms[l.comm], c.Rank(), i, list); err != nil && !errors.Is(err, ErrTruncated) {
			return fmt.Errorf("line %d: %w", i, err)
		}
		list[i].returned = true
	}
	return nil
}

// call makes the call of one line.
func (p *program) call(c *Comm, rank, index int, list []outcome) (err error) {
	l, x := &p.lines[rank][index], &list[index]
	switch l.verb {
	case barriers:
		return c.Barrier()
	case waits:
		return p.wait(l, list)
	case sends:
		x.request, err = c.Isend(p.content(rank, index), l.peer, l.tag)
	case receives, probes:
		x.p = bytes.Repeat([]byte{0xa5}, l.n)
		src, tag := l.peer, l.tag
		var s Status
		if l.verb == probes {
			if s, err = c.Probe(src, tag); err != nil {
				return err
			}
			src, tag = s.Source, s.Tag
		}
		x.request, err = c.Irecv(x.p, src, tag)
		if err == nil && l.verb == probes && (!x.request.done && s.Count <= c.Eager()) {
			return fmt.Errorf("a message that Probe has seen is not there: %+v", s)
		}
	}
	if err != nil || l.async {
		return err
	}
	s, err := x.request.Wait()
	if err == nil || errors.Is(err, ErrTruncated) {
		x.finish(s, err)
	}
	return err
}

// wait waits for requests, all at once or one after the other.
func (p *program) wait(l *line, list []outcome) error {
	var requests []*Request
	for _, i := range l.on {
		requests = append(requests, list[i].request)
	}
	if len(requests)%3 == 2 { // Waitany
		for range requests {
			i, s, err := Waitany(requests...)
			if err != nil && !errors.Is(err, ErrTruncated) {
				return err
			}
			list[l.on[i]].finish(s, err)
			requests[i] = nil
		}
		return nil
	}
	if len(requests)%3 == 0 {
		_, err := Waitall(requests...)
		if err == nil || errors.Is(err, ErrTruncated) {
			for k, i := range l.on {
				list[i].finish(requests[k].status, requests[k].err)
			}
		}
		return err
	}
	for k, i := range l.on {
		s, err := requests[k].Wait()
		if err != nil && !errors.Is(err, ErrTruncated) {
			return err
		}
		list[i].finish(s, err)
	}
	return nil
}
