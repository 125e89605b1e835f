package phase

import (
	"errors"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase/agreement"
	"github.com/fagus-dsm/fagus/phase/movement"
	"github.com/fagus-dsm/fagus/syncvar"
)

// failing is an agreement that fails when it is asked to step or to decide.
type failing struct {
	agreement.Protocol
	step, decide error
}

func (f *failing) Outcome() *agreement.Outcome { return new(agreement.Outcome) }
func (f *failing) Step() (bool, error)         { return false, f.step }
func (f *failing) Pending() bool               { return false }
func (f *failing) Decide() (bool, error)       { return false, f.decide }

// abandonedPort counts the calls of Abandon.
type abandonedPort struct {
	dimmnet.ZeroCopy
	abandoned int
}

func (p *abandonedPort) Rank() dimmnet.Rank { return 0 }
func (p *abandonedPort) Abandon()           { p.abandoned++ }

// TestStepAbandons: a Step that fails, in either way, calls Abandon once.
func TestStepAbandons(t *testing.T) {
	boom := errors.New("boom")
	for _, f := range []*failing{{step: boom}, {decide: boom}} {
		p := &abandonedPort{}
		m := movement.New(p, nil, 0, nil)
		m.UseZeroCopy(p)
		e := Assemble(m, f, syncvar.Unobserved{})
		e.state = gather
		for range 2 {
			if _, err := e.Step(); err != boom || p.abandoned != 1 {
				t.Errorf("%+v: Step returns %v, and Abandon was called %d times: want once", f, err, p.abandoned)
			}
		}
	}
}
