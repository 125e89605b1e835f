package runflags

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Exit codes of a command or program. 0 means success.
const (
	ExitFailed      = 1              // the run or its verification failed
	ExitUsage       = 2              // the command line is wrong
	ExitEnvironment = 3              // a file, a program or another resource is missing
	ExitStopped     = launch.Stopped // the run was told to stop, and can go on
	ExitTimeout     = 124            // the code that timeout(1) uses
	ExitInterrupted = 130            // the code that a shell reports after SIGINT
)

// ExitText describes the exit codes.
func ExitText() string {
	return "Results go to standard output; errors and, on a terminal, progress go to standard error. Exit codes:\n" +
		"0 ok; 1 the run or its verification failed; 2 usage (also an invalid matrix file, or more nodes than\n" +
		"fit the network or the hosts); 3 environment (unreadable or unwritable files, a missing program, memory);\n" +
		"75 stopped at a checkpoint (--grace): the same command goes on from there; 124 timeout; 130 interrupted.\n" +
		"fagus launch exits with the code of the first rank that fails."
}

// ExitCode returns the exit code for err, which is not nil. An error of the operating system,
// such as a missing file or a full disk, gives ExitEnvironment. ctx must end when the process
// is interrupted.
func ExitCode(ctx context.Context, err error) int {
	var errno syscall.Errno
	var lost *dimmnet.Failed
	switch {
	case usage.Is(err):
		return ExitUsage
	case errors.Is(err, fagus.ErrStopped):
		return ExitStopped
	case errors.Is(err, context.DeadlineExceeded):
		return ExitTimeout
	case ctx.Err() != nil:
		return ExitInterrupted
	case errors.As(err, &lost):
		return ExitFailed // whatever error its connection has had
	case errors.As(err, &errno), errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return ExitEnvironment
	}
	return ExitFailed
}

// Conclude prints err, the result of the command or program called name, to stderr, and returns its
// exit code. If a job of processes has failed, it is the code of the rank that failed first.
func Conclude(ctx context.Context, err error, stderr io.Writer, name string) int {
	if err == nil {
		return 0
	}
	launch.EndOutput(ctx, err)
	if rank := (*RankError)(nil); errors.As(err, &rank) {
		if !rank.Printed {
			fmt.Fprintf(stderr, "%s: %v\n", name, rank)
		}
		return rank.Code
	}
	if endedQuietly(ctx, err) {
		return ExitInterrupted // the launcher reports why
	}
	if passed := (*passedOn)(nil); errors.As(err, &passed) {
		return ExitCode(ctx, err)
	}
	// An error of the input, say, comes before the run: nobody has told the launcher of it.
	if place, none := cluster.FromEnv(os.LookupEnv); none == nil && cluster.ReportOrigin(place.Rank, err, true) {
		return ExitCode(ctx, err)
	}
	fmt.Fprintf(stderr, "%s: %s\n", name, explained(ctx, err))
	return ExitCode(ctx, err)
}

// explained returns the text of err, after the signal if the text does not name it.
func explained(ctx context.Context, err error) string {
	text := strings.TrimSpace(strings.TrimPrefix(err.Error(), "fagus: "))
	if got := (*launch.SignalError)(nil); errors.As(context.Cause(ctx), &got) && !strings.Contains(text, got.Error()) {
		return got.Error() + ": " + text
	}
	return text
}

// endedQuietly reports whether this process is a rank that its launcher ends because another rank
// has failed.
func endedQuietly(ctx context.Context, err error) bool {
	var got *launch.SignalError
	return !errors.Is(err, fagus.ErrStopped) && errors.As(context.Cause(ctx), &got) && got.Signal == syscall.SIGTERM && os.Getenv(cluster.OriginVariable) != ""
}
