package target

import (
	"errors"
	"fmt"
	"io"

	"github.com/fagus-dsm/fagus/fagus"
)

// server makes the calls of a rank that is another process.
type server struct {
	*Session
	ledger
	room room
	told int64 // things in the tenure
}

// Serve makes the calls of a Client at the other end of conn on the rank's Node until that ends. Computing takes the
// other process no time of the Node's clock but what it charges by Spend; while it computes, a simulation waits. The error is
// that of the connection, if it ends before the Client does, or says what came that no Client sends. The process may have
// 64 GiB of arrays; what it acquires and writes is here a second time.
func Serve(n *fagus.Node, conn io.ReadWriter) error { return serve(n, conn, plenty()) }

func serve(n *fagus.Node, conn io.ReadWriter, limit room) error {
	s := &server{Session: Begin(n), ledger: newLedger(), room: limit}
	line := newLine(conn)
	for {
		q, err := readQuestion(line.in)
		if err == nil {
			err = line.receive(q.Data, s.comes(&q))
		}
		switch {
		case errors.Is(err, io.EOF):
			return fmt.Errorf("target: the process of rank %d has ended without saying so: it calls fagus_init and fagus_finalize", n.Rank())
		case err != nil:
			return fmt.Errorf("target: the process of rank %d does not speak any more: %w", n.Rank(), err)
		}
		a, data, err := s.answer(&q)
		if err != nil {
			a, data = answer{Code: Internal, Text: err.Error()}, nil
			if known := (*Error)(nil); errors.As(err, &known) {
				a.Code = known.Code
			}
		}
		a.Data = total(data)
		if err := line.send(a.encode(), data); err != nil {
			return fmt.Errorf("target: the process of rank %d does not listen any more: %w", n.Rank(), err)
		}
		if q.Verb == verbEnd && err == nil {
			return nil
		}
	}
}

// comes is where the data of a question belong.
func (s *server) comes(q *question) [][]byte {
	if q.Verb != verbRelease {
		return nil
	}
	return s.released(int(q.Numbers[0]), s.Memory)
}

// answer makes a call, if there is room for it. The answer's data stay where they are.
func (s *server) answer(q *question) (a answer, data [][]byte, err error) {
	c := s.cost(q)
	if err := s.afford(c); err != nil {
		return a, nil, err
	}
	if a, data, err = s.perform(q); err == nil {
		s.pay(q, c)
	}
	return a, data, err
}

// perform makes a call.
func (s *server) perform(q *question) (a answer, data [][]byte, err error) {
	first := int(q.Numbers[0])
	switch q.Verb {
	case verbHello:
		if first != protocol {
			err = fail(Job, "the library has protocol %d, `fagus launch` %d: install them together", first, protocol)
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

// performSet makes a call about a set.
func (s *server) performSet(q *question, number int) (a answer, data [][]byte, err error) {
	switch q.Verb {
	case verbNewSet:
		if number, err = s.NewSet(); err == nil {
			s.addSet()
		}
		a.Numbers[0] = int64(number)
	case verbAsk:
		variable, mode := int(q.Numbers[1]), Mode(q.Numbers[2])
		if err = s.Ask(number, variable, mode); err == nil {
			s.modes[number][variable] = mode
		}
	case verbClear:
		if err = s.Clear(number); err == nil {
			clear(s.modes[number])
		}
	case verbAcquire:
		if err = s.Acquire(number); err == nil {
			s.acquired(number)
			data = s.parts(s.modes[number], Shared, s.Memory)
		}
	case verbRelease:
		err = s.Release(number)
	default:
		err = fail(Internal, "call %d of a process: there is none", q.Verb)
	}
	return a, data, err
}
