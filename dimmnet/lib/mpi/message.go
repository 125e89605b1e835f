package mpi

import (
	"errors"
	"fmt"
)

// Wildcards for the source and tag of a receive or a probe.
const (
	AnySource = -1
	AnyTag    = -1
)

// MaxTag is the largest tag. The smallest is 0.
const MaxTag = 1<<30 - 1

func (c *Comm) check(rank, tag int) error {
	switch {
	case c.engine.err != nil:
		return c.engine.err
	case rank < 0 || rank >= len(c.group):
		return fmt.Errorf("mpi: rank %d: the communicator has %d ranks", rank, len(c.group))
	case tag < 0 || tag > MaxTag:
		return fmt.Errorf("mpi: tag %d: want 0 to %d", tag, MaxTag)
	}
	return nil
}

// checkFrom checks the source and the tag of a receive. Both may be wildcards.
func (c *Comm) checkFrom(src, tag int) error {
	if src == AnySource {
		src = 0
	}
	if tag == AnyTag {
		tag = 0
	}
	return c.check(src, tag)
}

// Send sends p to dst in standard mode, and returns when p may be reused. A message of up to Eager
// bytes waits at most for space in the ring; a longer one waits until dst receives it.
func (c *Comm) Send(p []byte, dst, tag int) error {
	r, err := c.Isend(p, dst, tag)
	if err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

// Recv receives the next message from src with the tag into p. src and tag may be wildcards. If
// the message is longer than p, the error is ErrTruncated.
func (c *Comm) Recv(p []byte, src, tag int) (Status, error) {
	r, err := c.Irecv(p, src, tag)
	if err != nil {
		return Status{}, err
	}
	return r.Wait()
}

// Isend starts a Send. p must not change until the request is complete.
func (c *Comm) Isend(p []byte, dst, tag int) (*Request, error) {
	if err := c.check(dst, tag); err != nil {
		return nil, err
	}
	return c.isend(c.context, p, dst, tag)
}

// Irecv starts a Recv. p must not be used until the request is complete.
func (c *Comm) Irecv(p []byte, src, tag int) (*Request, error) {
	if err := c.checkFrom(src, tag); err != nil {
		return nil, err
	}
	return c.irecv(c.context, p, src, tag, nil)
}

func (c *Comm) newRequest(context uint32, p []byte, tag int) *Request {
	e := c.engine
	e.incomplete++
	return &Request{comm: c, context: context, tag: tag, p: p}
}

func (c *Comm) isend(context uint32, p []byte, dst, tag int) (*Request, error) {
	if len(p) > MaxBytes {
		return nil, fmt.Errorf("mpi: send %d bytes: want at most %d", len(p), MaxBytes)
	}
	e := c.engine
	r := c.newRequest(context, p, tag)
	r.dst = c.group[dst]
	head := control{rank: uint16(c.rank), context: context, tag: uint32(tag), size: uint64(len(p))}
	if len(p) <= e.eager {
		e.stats.Eager++
		head.kind = eagerSend
		e.send(r.dst, head, p, func() { r.complete(Status{}, nil) })
		return r, nil
	}
	e.stats.Rendezvous++
	head.kind, head.sender = requestToSend, unused(&e.id, e.sends)
	e.sends[head.sender] = r
	e.send(r.dst, head, nil, nil)
	return r, nil
}

func (c *Comm) irecv(context uint32, p []byte, src, tag int, unpack func(n int)) (*Request, error) {
	r := c.newRequest(context, p, tag)
	r.source, r.unpack = src, unpack
	if err := c.engine.post(r); err != nil {
		return nil, err
	}
	return r, nil
}

// Sendrecv sends out to dst, and at the same time receives a message from src into in.
func (c *Comm) Sendrecv(out []byte, dst, sendTag int, in []byte, src, recvTag int) (Status, error) {
	if err := errors.Join(c.check(dst, sendTag), c.checkFrom(src, recvTag)); err != nil {
		return Status{}, err
	}
	return c.sendrecv(c.context, out, dst, sendTag, in, src, recvTag)
}

func (c *Comm) sendrecv(context uint32, out []byte, dst, sendTag int, in []byte, src, recvTag int) (Status, error) {
	r, err := c.irecv(context, in, src, recvTag, nil)
	if err != nil {
		return Status{}, err
	}
	s, err := c.isend(context, out, dst, sendTag)
	if err != nil {
		return Status{}, err
	}
	list, err := Waitall(r, s)
	return list[0], err
}

// Probe waits for a message from src with tag and returns its status, without receiving it.
func (c *Comm) Probe(src, tag int) (s Status, err error) {
	if err := c.checkFrom(src, tag); err != nil {
		return Status{}, err
	}
	found := false
	err = c.engine.wait(func() bool {
		if !found {
			s, found = c.peek(src, tag)
		}
		return found
	})
	return s, err
}

// Iprobe makes progress and reports whether a message from src with tag has arrived, with its
// status. It does not receive the message.
func (c *Comm) Iprobe(src, tag int) (s Status, found bool, err error) {
	if err := c.checkFrom(src, tag); err != nil {
		return Status{}, false, err
	}
	if err := c.engine.progress(); err != nil {
		return Status{}, false, err
	}
	s, found = c.peek(src, tag)
	return s, found, nil
}

func (c *Comm) peek(src, tag int) (Status, bool) {
	i := c.engine.matchUnexpected(&Request{context: c.context, source: src, tag: tag})
	if i < 0 {
		return Status{}, false
	}
	env := c.engine.unexpected[i]
	return Status{Source: env.rank, Tag: env.tag, Count: env.size}, true
}
