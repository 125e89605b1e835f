package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

const rollCallName = "roll-call"

func rollCallFlag(category string) cli.Flag {
	return &cli.DurationFlag{Name: rollCallName, Category: category, Value: rollcall.DefaultAfter,
		Usage: "print what every rank does and waits for when a call has waited for so long, and again when for twice as long; 0: never. SIGQUIT (Ctrl-\\) asks for it at any time"}
}

func rollCallOf(c *cli.Context) (fagus.RollCall, error) {
	after := c.Duration(rollCallName)
	if after < 0 {
		return fagus.RollCall{}, usagef("--%s %v: want 0 (never) or more", rollCallName, after)
	}
	if after == 0 {
		after = -1
	}
	return fagus.RollCall{After: after}, nil
}

// callRolls prints the rolls of a run to w, also those that SIGQUIT asks for, until
// stop is called.
func (p *placement) callRolls(w io.Writer) (stop func()) {
	ask := make(chan os.Signal, 1)
	signal.Notify(ask, syscall.SIGQUIT)
	p.rolls.Ask = ask
	p.rolls.To = func(r fagus.Roll) { printRoll(w, r) }
	return func() { signal.Stop(ask) }
}

func printRoll(w io.Writer, r fagus.Roll) { fmt.Fprint(w, "fagus: ", r) }

// stuck says whether a run ended with err because it did not come to its end.
func stuck(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, dimmnet.ErrDeadlock)
}
