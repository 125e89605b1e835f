package launch

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os/exec"
	"time"
)

// Alone is a program that is no rank of a job, such as one that starts its own ranks. It is run as
// a rank is: in a process group of its own, of which nothing is left at the end.
type Alone struct {
	Argv   []string // command and arguments
	Env    []string // environment, as "NAME=value"; nil: inherited
	Stdout io.Writer
	Stderr io.Writer
	// Grace is how long the program may take to end after SIGTERM. Programs that it leaves may keep
	// its output open as long. 0 means 2 seconds.
	Grace time.Duration
}

// Run starts the program and returns when it has ended: nil if it exited with 0, an *exec.ExitError
// if not, the cause of ctx, the error of Stdout or Stderr, or the reason why it could not start. If
// ctx ends, the program gets SIGTERM, or SIGINT if this process got SIGINT.
func (a *Alone) Run(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, a.Argv[0], a.Argv[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = a.Env, a.Stdout, a.Stderr
	leadGroup(cmd)
	cmd.Cancel = func() error { return terminate(cmd.Process, ending(ctx)) }
	cmd.WaitDelay = cmp.Or(a.Grace, defaultGrace)
	group := processes{keeper: startKeeper()}
	defer group.keeper.stop()
	err := runLocked(cmd, &group)
	if cmd.Process != nil {
		killGroup(cmd.Process)
		group.keeper.remove(cmd.Process.Pid)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, exec.ErrWaitDelay): // exited with 0; a program that it left kept its output
		return nil
	}
	return err
}
