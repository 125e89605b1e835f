package runflags

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

const rollCallName = "roll-call"

func rollCallFlag(category string) cli.Flag {
	return &cli.DurationFlag{Name: rollCallName, Category: category, Value: rollcall.DefaultAfter,
		Usage: "when a call has waited for `TIME`, and again each time the wait doubles, print what every rank does and waits for; 0: never, and then nothing notices that all ranks wait for a change that none can make. SIGQUIT (Ctrl-\\) prints it at any time"}
}

func readRollCall(c *cli.Context) (fagus.RollCall, error) {
	after := c.Duration(rollCallName)
	if after < 0 {
		return fagus.RollCall{}, usage.Errorf("--%s %v: want 0 (never) or more", rollCallName, after)
	}
	if after == 0 {
		after = -1
	}
	return fagus.RollCall{After: after}, nil
}

// answerEarly answers SIGQUIT before the ranks have begun, until stop is called. Without it, the
// process would end.
func answerEarly(w io.Writer) (stop func()) {
	ask := make(chan os.Signal, 1)
	signal.Notify(ask, syscall.SIGQUIT)
	var answers sync.WaitGroup
	answers.Go(func() {
		for range ask {
			fmt.Fprintln(w, "fagus: the ranks of this process have not begun: it reads its input, or waits for other processes")
		}
	})
	return sync.OnceFunc(func() {
		signal.Stop(ask)
		close(ask)
		answers.Wait()
	})
}

// callRolls prints roll-calls of the next run, periodic and on SIGQUIT, until stop is called.
func (t *Target) callRolls(w io.Writer) (stop func()) {
	ask := make(chan os.Signal, 1)
	signal.Notify(ask, syscall.SIGQUIT)
	t.to = w
	t.ask, t.called = ask, make(chan struct{}, 1)
	t.RollCall.Ask = ask
	t.RollCall.To = func(r fagus.Roll) {
		fmt.Fprint(w, "fagus: ", r)
		select {
		case t.called <- struct{}{}:
		default:
		}
	}
	return func() { signal.Stop(ask) }
}

// reportStuck prints r, the last roll-call of a run, if err is a timeout or a deadlock.
func (t *Target) reportStuck(err error, r fagus.Roll) {
	stuck := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, dimmnet.ErrDeadlock)
	if stuck && t.RollCall.To != nil {
		t.RollCall.To(r)
	}
}
