package dimmnet_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// loggingPort records the order in which Drive calls its methods.
type loggingPort struct {
	dimmnet.Port // nil: a call of any other method panics
	log          []string
	err          error
}

func (p *loggingPort) Arrivals() dimmnet.Mark {
	p.log = append(p.log, "mark")
	return dimmnet.Mark(len(p.log))
}

func (p *loggingPort) Idle(since dimmnet.Mark) {
	p.log = append(p.log, "idle")
	if since != dimmnet.Mark(len(p.log)-2) {
		p.log = append(p.log, "with an old mark")
	}
}

func (p *loggingPort) Err() error { return p.err }

// steps is a Stepper that returns the results one after the other.
type steps struct {
	port    *loggingPort
	results []bool
	err     error
}

func (s *steps) Step() (bool, error) {
	s.port.log = append(s.port.log, "step")
	progress := s.results[0]
	s.results = s.results[1:]
	return progress, s.err
}

func (s *steps) done() bool { return len(s.results) == 0 }

func TestDriveMarksBeforeAndIdlesAfter(t *testing.T) {
	p := &loggingPort{}
	s := &steps{port: p, results: []bool{true, false, true}}
	if err := dimmnet.Drive(p, s, s.done); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(p.log, " "), "mark step mark step idle mark step"; got != want {
		t.Errorf("Drive did %q, want %q", got, want)
	}
}

func TestDriveReturnsErrors(t *testing.T) {
	mine := errors.New("mine")
	p := &loggingPort{err: mine}
	s := &steps{port: p, results: []bool{true, false, true}}
	if err := dimmnet.Drive(p, s, s.done); err != mine || len(s.results) != 1 {
		t.Errorf("a failed port gave %v with %d steps left", err, len(s.results))
	}
	p = &loggingPort{}
	s = &steps{port: p, results: []bool{true, true}, err: mine}
	if err := dimmnet.Drive(p, s, s.done); err != mine || len(s.results) != 1 {
		t.Errorf("a failed step gave %v with %d steps left", err, len(s.results))
	}
}

func TestTimePrintsItsUnit(t *testing.T) {
	for time, want := range map[dimmnet.Time]string{
		0:                           "0",
		173 * dimmnet.Nanosecond:    "173.000 ns",
		1500 * dimmnet.Nanosecond:   "1.500 us",
		-2500 * dimmnet.Microsecond: "-2.500 ms",
		90 * dimmnet.Second:         "90.000 s",
	} {
		if got := time.String(); got != want {
			t.Errorf("%d ps print as %q, want %q", int64(time), got, want)
		}
	}
}

func TestCountersAddUp(t *testing.T) {
	c := dimmnet.Counters{Stores: 1, Writes: 2, Pushes: 3, Pulls: 4, Bytes: 5, Polls: 6}
	if sum := c.Plus(c); sum.Minus(c) != c || sum == c {
		t.Errorf("%+v + itself is %+v", c, sum)
	}
}
