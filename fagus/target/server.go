package target

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/fagus-dsm/fagus/fagus"
)

// server makes the calls of a rank that is another process.
type server struct {
	*Session
	ledger
}

// Serve makes the calls of a Client at the other end of conn on the rank's Node until that ends. Computing takes the
// other process no time of the Node's clock but what it charges by Spend; while it computes, a simulation waits. The error is
// that of the connection, if it ends before the Client does.
func Serve(n *fagus.Node, conn io.ReadWriter) error {
	s := &server{Begin(n), newLedger()}
	questions, answers := gob.NewDecoder(conn), gob.NewEncoder(conn)
	for {
		var q question
		if err := questions.Decode(&q); errors.Is(err, io.EOF) {
			return fmt.Errorf("target: the process of rank %d has ended without saying so: it calls fagus_init and fagus_finalize", n.Rank())
		} else if err != nil {
			return fmt.Errorf("target: the process of rank %d does not speak any more: %w", n.Rank(), err)
		}
		a, err := s.answer(&q)
		if err != nil {
			a = answer{Code: Internal, Text: err.Error()}
			if known := (*Error)(nil); errors.As(err, &known) {
				a.Code = known.Code
			}
		}
		if err := answers.Encode(&a); err != nil {
			return fmt.Errorf("target: the process of rank %d does not listen any more: %w", n.Rank(), err)
		}
		if q.Verb == verbEnd && err == nil {
			return nil
		}
	}
}

// answer makes a call.
func (s *server) answer(q *question) (a answer, err error) {
	first := int(q.Numbers[0])
	switch q.Verb {
	case verbHello:
		a.Numbers = [2]int64{int64(s.Rank()), int64(s.Size())}
	case verbAlloc:
		first, err = s.Alloc(q.Name, first)
		a.Numbers[0] = int64(first)
	case verbBind:
		if first, err = s.Bind(q.Name, q.Spans...); err == nil {
			s.spans = append(s.spans, q.Spans)
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
			a.Data = s.gather(s.had, Shared, s.Memory)
		}
	case verbEnd:
		err = s.End()
	default:
		return s.answerSet(q, first)
	}
	return a, err
}

// answerSet makes a call about a set.
func (s *server) answerSet(q *question, number int) (a answer, err error) {
	switch q.Verb {
	case verbNewSet:
		if number, err = s.NewSet(); err == nil {
			s.modes = append(s.modes, make(map[int]Mode))
		}
		a.Numbers[0] = int64(number)
	case verbAsk:
		if err = s.Ask(number, int(q.Numbers[1]), Mode(q.Numbers[2])); err == nil {
			s.modes[number][int(q.Numbers[1])] = Mode(q.Numbers[2])
		}
	case verbClear:
		if err = s.Clear(number); err == nil {
			clear(s.modes[number])
		}
	case verbAcquire:
		if err = s.Acquire(number); err == nil {
			a.Data = s.gather(s.modes[number], Shared, s.Memory)
			maps.Copy(s.had, s.modes[number])
		}
	case verbRelease:
		if s.holds(number) && !s.scatter(s.modes[number], Exclusive, s.Memory, q.Data) {
			return a, fail(Internal, "%d bytes of what is held exclusively: there are others", len(q.Data))
		}
		err = s.Release(number)
	default:
		err = fail(Internal, "call %d of a process: there is none", q.Verb)
	}
	return a, err
}

// holds says whether it is this set that is held.
func (s *server) holds(number int) bool {
	return s.held != nil && number >= 0 && number < len(s.sets) && s.sets[number] == s.held
}
