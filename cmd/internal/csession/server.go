package csession

import (
	"errors"
	"fmt"
	"io"

	"github.com/fagus-dsm/fagus/fagus"
)

type server struct {
	*Session
	ledger
	quota    quota
	declared int64 // declared writes in the current tenure (from Acquire to Release)
}

// Serve executes the calls of the Client at the other end of conn on n, the Node of the rank,
// until the Client ends. While the process of the Client computes, a simulation waits; only Spend
// advances the virtual clock of n for that time. Serve returns an error if the connection ends
// before the Client does, or if it receives data that no Client sends. The Client may allocate 64
// GiB of arrays. The process of Serve keeps a second copy of the arrays.
func Serve(n *fagus.Node, conn io.ReadWriter) error { return serve(n, conn, defaultQuota()) }

func serve(n *fagus.Node, conn io.ReadWriter, limit quota) error {
	s := &server{Session: Begin(n), ledger: newLedger(), quota: limit}
	line := newLine(conn)
	for {
		q, err := readRequest(line.in)
		if err == nil {
			err = line.receive(q.Data, s.destination(&q))
		}
		switch {
		case errors.Is(err, io.EOF):
			return fmt.Errorf("csession: the process of rank %d ended without calling fagus_finalize after fagus_init", n.Rank())
		case err != nil:
			return fmt.Errorf("csession: reading from the process of rank %d: %w", n.Rank(), err)
		}
		a, data, err := s.answer(&q)
		if err != nil {
			a, data = response{Code: Internal, Text: err.Error()}, nil
			if known := (*Error)(nil); errors.As(err, &known) {
				a.Code = known.Code
			}
		}
		a.Data = total(data)
		if err := line.send(a.encode(), data); err != nil {
			return fmt.Errorf("csession: writing to the process of rank %d: %w", n.Rank(), err)
		}
		if q.Verb == verbEnd && err == nil {
			return nil
		}
	}
}

func (s *server) destination(q *request) [][]byte {
	if q.Verb != verbRelease {
		return nil
	}
	return s.released(int(q.Numbers[0]), s.Memory)
}

func (s *server) answer(q *request) (a response, data [][]byte, err error) {
	c := s.cost(q)
	if err := s.checkQuota(c); err != nil {
		return a, nil, err
	}
	if a, data, err = s.perform(q); err == nil {
		s.charge(q, c)
	}
	return a, data, err
}

func (s *server) perform(q *request) (a response, data [][]byte, err error) {
	first := int(q.Numbers[0])
	switch q.Verb {
	case verbHello:
		if first != protocol {
			err = fail(Job, "the library uses protocol version %d, but `fagus launch` uses %d: install both from the same release", first, protocol)
		}
		a.Numbers = [2]int64{int64(s.Rank()), int64(s.Size())}
	case verbAlloc:
		first, err = s.Alloc(q.Name, first)
		a.Numbers[0] = int64(first)
	case verbBind:
		if first, err = s.Bind(q.Name, q.Spans...); err == nil {
			s.addVariable(q.Spans)
		}
		a.Numbers[0] = int64(first)
	case verbReduceInt:
		a.Numbers[0], err = s.ReduceInt(Op(first), q.Numbers[1])
	case verbReduceFloat:
		a.Float, err = s.ReduceFloat(Op(first), q.Float)
	case verbSpend:
		err = s.Spend(q.Numbers[0])
	case verbWrote:
		err = s.Wrote(q.Spans...)
	case verbBarrier:
		err = s.Barrier()
	case verbFence:
		err = s.Fence()
	case verbUpdate:
		if err = s.Update(); err == nil {
			data = s.parts(s.had, Shared, s.Memory)
		}
	case verbEnd:
		err = s.End()
	default:
		return s.performSet(q, first)
	}
	return a, data, err
}

func (s *server) performSet(q *request, number int) (a response, data [][]byte, err error) {
	switch q.Verb {
	case verbNewSet:
		if number, err = s.NewSet(); err == nil {
			s.addSet()
		}
		a.Numbers[0] = int64(number)
	case verbAdd, verbAddUnordered:
		variable, access := int(q.Numbers[1]), Access(q.Numbers[2])
		if err = s.add(number, variable, access, q.Verb == verbAddUnordered); err == nil {
			s.accesses[number][variable] = access
		}
	case verbClear:
		if err = s.Clear(number); err == nil {
			clear(s.accesses[number])
		}
	case verbAcquire:
		if err = s.Acquire(number); err == nil {
			s.acquired(number)
			data = s.parts(s.accesses[number], Shared, s.Memory)
		}
	case verbRelease:
		err = s.Release(number)
	default:
		err = fail(Internal, "unknown call number %d", q.Verb)
	}
	return a, data, err
}
