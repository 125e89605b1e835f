package runflags

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// Patience is how long the process of a rank waits, after the end of the run, for a rank that does
// not return.
const Patience = 500 * time.Millisecond

// EndOverdue ends the process of a rank with ExitTimeout if it has not called stop within Patience
// after --timeout is over; ctx is of WithTimeout. First it prints a roll-call, which CallRolls must
// have prepared. The rank's program may compute or sleep for long, and notices the end only in its
// next call. In a process of simulated ranks it ends the process some time after the end of ctx,
// whatever that was: so many ranks may take long to return. In one of goroutines EndOverdue does
// nothing, because Run returns without them.
func (t *Target) EndOverdue(ctx context.Context, w io.Writer, name string) (stop func()) {
	over := make(chan struct{})
	end := func() {
		if t.Sim != nil {
			t.endSimulation(ctx, over, w, name)
			return
		}
		if t.rank == nil || !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			return
		}
		select {
		case <-over:
			return
		case <-time.After(Patience):
		}
		t.callRoll()
		fmt.Fprintf(w, "%s: %v: a rank has not returned within %v\n", name, context.Cause(ctx), Patience)
		os.Exit(ExitTimeout)
	}
	cancel := context.AfterFunc(ctx, end)
	return func() {
		cancel()
		close(over)
	}
}

// callRoll prints a roll-call, if the run makes one within Patience.
func (t *Target) callRoll() {
	select {
	case t.ask <- syscall.SIGQUIT:
		select {
		case <-t.called:
		case <-time.After(Patience):
		}
	default: // the run does not answer
	}
}

// simulationPatience is how long a simulation may take to end. A process that gets SIGTERM ends
// within two seconds.
const simulationPatience = 2 * Patience

func (t *Target) endSimulation(ctx context.Context, over <-chan struct{}, w io.Writer, name string) {
	select {
	case <-over:
		return
	case <-time.After(simulationPatience):
	}
	status := ExitInterrupted
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		status = ExitTimeout
		t.callRoll()
	}
	fmt.Fprintf(w, "%s: %v: the simulation of %d nodes has not ended within %v\n", name, context.Cause(ctx), t.Nodes, simulationPatience)
	os.Exit(status)
}
