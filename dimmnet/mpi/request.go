package mpi

import (
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Errors of requests.
var (
	// ErrTruncated means that a message was longer than its receive has room for. What
	// has room is there.
	ErrTruncated = errors.New("the message is longer than the receive buffer")
	// ErrUsed means that a request has been waited for before, or tested and found complete.
	ErrUsed = errors.New("the request has been used before")
)

// Status says what a receive has got, or a probe has seen. That of a send is all zero.
type Status struct {
	Source int // rank in the communicator
	Tag    int
	Count  int // bytes
}

// Request is a send or a receive that has been started. It must be waited for, or tested until
// it is complete, once; its buffer belongs to it until then. It belongs to the thread of its rank.
type Request struct {
	comm    *Comm
	id      uint32
	context uint32
	tag     int
	p       []byte
	unpack  func(n int) // n bytes of p, to where the user wants them
	source  int         // of a receive

	dst dimmnet.Rank // of a send
	env *envelope    // of a receive in rendezvous
	to  []Destination

	done   bool
	used   bool
	status Status
	err    error
}

// received ends a receive with the message of env, which is in p.
func (r *Request) received(env *envelope) {
	n, err := env.size, error(nil)
	if n > len(r.p) {
		n = len(r.p)
		err = fmt.Errorf("mpi: message of %d bytes from rank %d, tag %d, to %d bytes: %w", env.size, env.rank, env.tag, n, ErrTruncated)
	}
	if r.unpack != nil {
		r.unpack(n)
	}
	r.complete(Status{Source: env.rank, Tag: env.tag, Count: n}, err)
}

func (r *Request) complete(s Status, err error) {
	r.done, r.status, r.err = true, s, err
	r.comm.engine.open--
	r.p, r.unpack, r.env, r.to = nil, nil, nil, nil
}

// use says whether r, which must not be nil, may be waited for.
func (r *Request) use() error {
	if r.used {
		return fmt.Errorf("mpi: %w", ErrUsed)
	}
	return nil
}

// result hands out what became of r, which is done.
func (r *Request) result() (Status, error) {
	r.used = true
	return r.status, r.err
}

// Wait waits until r is complete. Errors: ErrTruncated, ErrUsed, or the run has failed.
func (r *Request) Wait() (Status, error) {
	if err := r.use(); err != nil {
		return Status{}, err
	}
	if err := r.comm.engine.wait(func() bool { return r.done }); err != nil {
		return Status{}, err
	}
	return r.result()
}

// Test makes progress and says whether r is complete; if so, it is used up, as by Wait.
func (r *Request) Test() (s Status, done bool, err error) {
	if err := r.use(); err != nil {
		return Status{}, false, err
	}
	if !r.done {
		if err := r.comm.engine.poke(); err != nil {
			return Status{}, false, err
		}
	}
	if !r.done {
		return Status{}, false, nil
	}
	s, err = r.result()
	return s, true, err
}

// first is the index of the first of reqs that is done, -1 if none is; active counts those that
// are not nil.
func first(reqs []*Request) (i, active int, err error) {
	i = -1
	for k, r := range reqs {
		if r == nil {
			continue
		}
		active++
		if err := r.use(); err != nil {
			return -1, active, fmt.Errorf("mpi: request %d: %w", k, ErrUsed)
		}
		if r.done && i < 0 {
			i = k
		}
	}
	return i, active, nil
}

// engineOf is the engine that all of reqs, not all nil, belong to.
func engineOf(reqs []*Request) (e *engine, err error) {
	for k, r := range reqs {
		switch {
		case r == nil:
		case e == nil:
			e = r.comm.engine
		case e != r.comm.engine:
			return nil, fmt.Errorf("mpi: request %d is another rank's", k)
		}
	}
	return e, nil
}

// Waitall waits until all of reqs are complete, nil ones aside. The error is that of the first
// that has one; the others are complete as well.
func Waitall(reqs ...*Request) ([]Status, error) {
	list := make([]Status, len(reqs))
	if _, active, err := first(reqs); err != nil || active == 0 {
		return list, err
	}
	e, err := engineOf(reqs)
	if err != nil {
		return list, err
	}
	next := 0
	err = e.wait(func() bool {
		for next < len(reqs) && (reqs[next] == nil || reqs[next].done) {
			next++
		}
		return next == len(reqs)
	})
	if err != nil {
		return list, err
	}
	for i, r := range reqs {
		if r == nil {
			continue
		}
		failed := r.use() // it may be in reqs twice
		if failed == nil {
			list[i], failed = r.result()
		}
		if err == nil {
			err = failed
		}
	}
	return list, err
}

// Waitany waits until one of reqs is complete and returns which: the first if several are. Only
// that one is used up: put nil in its place. If all are nil, the index is -1.
func Waitany(reqs ...*Request) (index int, s Status, err error) {
	i, active, err := first(reqs)
	if err != nil || active == 0 {
		return -1, Status{}, err
	}
	e, err := engineOf(reqs)
	if err != nil {
		return -1, Status{}, err
	}
	err = e.wait(func() bool {
		i, _, _ = first(reqs) // none is used up while this rank waits
		return i >= 0
	})
	if err != nil {
		return -1, Status{}, err
	}
	s, err = reqs[i].result()
	return i, s, err
}

// Testany makes progress and returns which of reqs is complete, as Waitany does; the index is
// -1 if none is.
func Testany(reqs ...*Request) (index int, s Status, err error) {
	_, active, err := first(reqs)
	if err != nil || active == 0 {
		return -1, Status{}, err
	}
	e, err := engineOf(reqs)
	if err != nil {
		return -1, Status{}, err
	}
	if err := e.poke(); err != nil {
		return -1, Status{}, err
	}
	i, _, err := first(reqs)
	if err != nil || i < 0 {
		return -1, Status{}, err
	}
	s, err = reqs[i].result()
	return i, s, err
}
