package mpi

import (
	"errors"
	"fmt"
)

// Wildcards of a receive or a probe.
const (
	AnySource = -1
	AnyTag    = -1
)

// MaxTag is the largest tag; the smallest is 0.
const MaxTag = 1<<30 - 1

// check says whether a call may name rank and tag.
func (c *Comm) check(rank, tag int) error {
	switch {
	case c.engine.err != nil:
		return c.engine.err
	case rank < 0 || rank >= len(c.group):
		return fmt.Errorf("mpi: rank %d: the communicator has %d", rank, len(c.group))
	case tag < 0 || tag > MaxTag:
		return fmt.Errorf("mpi: tag %d: want 0 to %d", tag, MaxTag)
	}
	return nil
}

// checkFrom is check for a receive, which may take any.
func (c *Comm) checkFrom(src, tag int) error {
	if src == AnySource {
		src = 0
	}
	if tag == AnyTag {
		tag = 0
	}
	return c.check(src, tag)
}

// Send sends p to dst, in standard mode: it returns when p may be reused. A message of up to
// Eager bytes is sent at once and waits at most for room in the ring, a longer one until dst
// receives it.
func (c *Comm) Send(p []byte, dst, tag int) error {
	r, err := c.Isend(p, dst, tag)
	if err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

// Recv receives to p the next message from src with tag; either may be any. A message longer than
// p is ErrTruncated.
func (c *Comm) Recv(p []byte, src, tag int) (Status, error) {
	r, err := c.Irecv(p, src, tag)
	if err != nil {
		return Status{}, err
	}
	return r.Wait()
}

// Isend starts a Send. p may be reused when the request is complete.
func (c *Comm) Isend(p []byte, dst, tag int) (*Request, error) {
	if err := c.check(dst, tag); err != nil {
		return nil, err
	}
	return c.isend(c.context, p, dst, tag)
}

// Irecv starts a Recv.
func (c *Comm) Irecv(p []byte, src, tag int) (*Request, error) {
	if err := c.checkFrom(src, tag); err != nil {
		return nil, err
	}
	return c.irecv(c.context, p, src, tag, nil)
}

func (c *Comm) newRequest(context uint32, p []byte, tag int) *Request {
	e := c.engine
	e.id++
	e.open++
	return &Request{comm: c, id: e.id, context: context, tag: tag, p: p}
}

func (c *Comm) isend(context uint32, p []byte, dst, tag int) (*Request, error) {
	if len(p) > MaxBytes {
		return nil, fmt.Errorf("mpi: message of %d bytes: %d at most", len(p), MaxBytes)
	}
	e := c.engine
	r := c.newRequest(context, p, tag)
	r.dst = c.group[dst]
	head := control{rank: uint16(c.rank), context: context, tag: uint32(tag), sender: r.id, size: uint64(len(p))}
	if len(p) <= e.eager {
		e.stats.Eager++
		head.kind = eagerSend
		e.send(r.dst, head, p, func() { r.complete(Status{}, nil) })
		return r, nil
	}
	if e.sends[r.id] != nil || e.receives[r.id] != nil {
		return nil, e.fail(errors.New("mpi: 4294967296 requests, and one of the first is not complete"))
	}
	e.stats.Rendezvous++
	head.kind = requestToSend
	e.sends[r.id] = r
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

// Sendrecv sends out to dst and receives in from src, both at the same time.
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

// Probe waits until a message from src with tag could be received, and says which; it stays
// where it is.
func (c *Comm) Probe(src, tag int) (s Status, err error) {
	if err := c.checkFrom(src, tag); err != nil {
		return Status{}, err
	}
	found := false
	err = c.engine.wait(func() bool {
		if !found {
			s, found = c.seen(src, tag)
		}
		return found
	})
	return s, err
}

// Iprobe makes progress and says whether, and which, message from src with tag could be
// received.
func (c *Comm) Iprobe(src, tag int) (s Status, found bool, err error) {
	if err := c.checkFrom(src, tag); err != nil {
		return Status{}, false, err
	}
	if err := c.engine.poke(); err != nil {
		return Status{}, false, err
	}
	s, found = c.seen(src, tag)
	return s, found, nil
}

// seen looks for a message without taking it.
func (c *Comm) seen(src, tag int) (Status, bool) {
	i := c.engine.findEarly(&Request{context: c.context, source: src, tag: tag})
	if i < 0 {
		return Status{}, false
	}
	env := c.engine.early[i]
	return Status{Source: env.rank, Tag: env.tag, Count: env.size}, true
}
