package mpi

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Errors of requests.
var (
	// ErrTruncated reports that a message was longer than the receive buffer. The buffer holds
	// the first part of the message.
	ErrTruncated = errors.New("the message is longer than the receive buffer")
	// ErrUsed reports that the result of a request has been returned before.
	ErrUsed = errors.New("the request has been used before")
)

// Status is the result of a receive or a probe. The Status of a send is zero.
type Status struct { // rank in the communicator
	Source int // rank in the communicator
	Tag    int
	Count  int // in bytes
}

// Request is a started send or receive. The program must call Wait once, or Test until it is
// complete, and must not use its buffer before. It belongs to the thread of its rank.
type Request struct {
	comm    *Comm
	context uint32
	tag     int
	p       []byte
	unpack  func(n int) // moves n bytes of p to the user's buffer; nil if p is the user's buffer
	source  int         // rank in the communicator or AnySource; receive only

	dst dimmnet.Rank  // send only
	env *envelope     // of a receive in rendezvous
	to  []Destination // destinations that a receive in rendezvous has exposed

	done   bool
	used   bool
	status Status
	err    error
}

// received completes a receive. p holds the message of env.
func (r *Request) received(env *envelope) {
	n, err := env.size, error(nil)
	if n > len(r.p) {
		n = len(r.p)
		err = fmt.Errorf("mpi: receive a message of %d bytes from rank %d with tag %d into %d bytes: %w", env.size, env.rank, env.tag, n, ErrTruncated)
	}
	if r.unpack != nil {
		r.unpack(n)
	}
	r.complete(Status{Source: env.rank, Tag: env.tag, Count: n}, err)
}

func (r *Request) complete(s Status, err error) {
	r.done, r.status, r.err = true, s, err
	r.comm.engine.incomplete--
	r.p, r.unpack, r.env, r.to = nil, nil, nil, nil
}

// use marks the result of r as returned; a second use is an error. r must not be nil.
func (r *Request) use() error {
	if r.used {
		return fmt.Errorf("mpi: %w", ErrUsed)
	}
	return nil
}

func (r *Request) result() (Status, error) {
	r.used = true
	return r.status, r.err
}

// Wait waits until r is complete. The error is ErrTruncated, ErrUsed, or a failed run's.
func (r *Request) Wait() (Status, error) {
	if err := r.use(); err != nil {
		return Status{}, err
	}
	if err := r.comm.engine.wait(func() bool { return r.done }); err != nil {
		return Status{}, err
	}
	return r.result()
}

// Test makes progress and reports whether r is complete. If so, it returns the result.
func (r *Request) Test() (s Status, done bool, err error) {
	if err := r.use(); err != nil {
		return Status{}, false, err
	}
	if !r.done {
		if err := r.comm.engine.progress(); err != nil {
			return Status{}, false, err
		}
	}
	if !r.done {
		return Status{}, false, nil
	}
	s, err = r.result()
	return s, true, err
}

// engineOf returns the engine of reqs, nil if all are nil. All must be unused, and of one rank.
func engineOf(reqs []*Request) (e *engine, err error) {
	for k, r := range reqs {
		switch {
		case r == nil:
			continue
		case r.used:
			return nil, fmt.Errorf("mpi: request %d: %w", k, ErrUsed)
		case e != nil && e != r.comm.engine:
			return nil, fmt.Errorf("mpi: request %d belongs to another rank than the requests before it", k)
		}
		e = r.comm.engine
	}
	return e, nil
}

func firstDone(reqs []*Request) int {
	return slices.IndexFunc(reqs, func(r *Request) bool { return r != nil && r.done })
}

// Waitall waits until all of reqs that are not nil are complete. It returns the error of the first
// request that has one; the other requests are complete as well.
func Waitall(reqs ...*Request) ([]Status, error) {
	list := make([]Status, len(reqs))
	e, err := engineOf(reqs)
	if e == nil {
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
		failed := r.use() // r may be in reqs twice
		if failed == nil {
			list[i], failed = r.result()
		}
		if err == nil {
			err = failed
		}
	}
	return list, err
}

// Waitany waits until one of reqs is complete. It returns the index and result of the first
// complete one. The other requests stay in use; set the returned one to nil before the next call.
// The index is -1 if all requests are nil.
func Waitany(reqs ...*Request) (index int, s Status, err error) {
	return anyOf(reqs, func(e *engine) error {
		return e.wait(func() bool { return firstDone(reqs) >= 0 })
	})
}

// Testany makes progress and returns the index and result of a complete request, as Waitany
// does. The index is -1 if none is complete.
func Testany(reqs ...*Request) (index int, s Status, err error) {
	return anyOf(reqs, (*engine).progress)
}

// anyOf lets the engine make progress, and returns the first request that is complete then.
func anyOf(reqs []*Request, progress func(*engine) error) (index int, s Status, err error) {
	e, err := engineOf(reqs)
	if e == nil {
		return -1, Status{}, err
	}
	if err := progress(e); err != nil {
		return -1, Status{}, err
	}
	i := firstDone(reqs)
	if i < 0 {
		return -1, Status{}, nil
	}
	s, err = reqs[i].result()
	return i, s, err
}
