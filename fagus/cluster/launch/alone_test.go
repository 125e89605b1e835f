//go:build unix

package launch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// alone runs a shell script alone, and returns what it prints.
func alone(ctx context.Context, script string) (string, error) {
	var out strings.Builder
	a := launch.Alone{Argv: []string{"sh", "-c", script}, Stdout: &out, Stderr: io.Discard, Grace: 300 * time.Millisecond}
	err := a.Run(ctx)
	return out.String(), err
}

func TestAlone(t *testing.T) {
	t.Parallel()
	if out, err := alone(t.Context(), `echo "rank $FAGUS_RANK"`); err != nil || out != "rank \n" {
		t.Errorf("%q, %v", out, err)
	}
	var exit *exec.ExitError
	if _, err := alone(t.Context(), "exit 7"); !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("%v, want exit status 7", err)
	}
	a := launch.Alone{Argv: []string{"no-such-program"}}
	if err := a.Run(t.Context()); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("%v, want that the program is not found", err)
	}
}

// TestAloneLeft: what a program leaves in its process group ends, though it keeps the output open.
func TestAloneLeft(t *testing.T) {
	t.Parallel()
	mark := fmt.Sprint(7100000 + os.Getpid())
	if out, err := alone(t.Context(), "sleep "+mark+" & echo done"); err != nil || out != "done\n" {
		t.Errorf("%q, %v", out, err)
	}
	gone(t, mark)
}

// TestAloneEnded: the end of the context ends a program, even a deaf one, and what it has started.
func TestAloneEnded(t *testing.T) {
	t.Parallel()
	for i, script := range []string{"exec sleep %s", "trap '' TERM INT; sleep %s; sleep %[1]s", "trap 'exit 5' INT; sleep %s & wait"} {
		mark := fmt.Sprint(7200000 + 1000000*i + os.Getpid())
		ctx, cancel := context.WithCancelCause(t.Context())
		want := &launch.SignalError{Signal: syscall.SIGINT}
		stop := time.AfterFunc(200*time.Millisecond, func() { cancel(want) })
		began := time.Now()
		if _, err := alone(ctx, fmt.Sprintf(script, mark)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", script, err, want)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: it took %v", script, took)
		}
		gone(t, mark)
		stop.Stop()
	}
}
