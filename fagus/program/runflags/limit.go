package runflags

import (
	"context"
	"encoding"
	"fmt"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// TimeoutFlag returns the flag --timeout, which Timeout reads.
func TimeoutFlag(category string) cli.Flag {
	return &cli.DurationFlag{Name: "timeout", Category: category, DefaultText: "none", Usage: "give up after `TIME` by the wall clock (exit code 124)"}
}

// Timeout returns the value of --timeout; 0 means no limit.
func Timeout(c *cli.Context) (time.Duration, error) {
	limit := c.Duration("timeout")
	if limit < 0 || c.IsSet("timeout") && limit == 0 {
		return 0, usage.Errorf("--timeout %v: want more than 0", limit)
	}
	return limit, nil
}

// WithTimeout returns ctx with a limit in wall-clock time; 0 means no limit.
func WithTimeout(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	endOutput(ctx, limit)
	return context.WithTimeoutCause(ctx, limit, timeoutError(limit))
}

// endOutput makes the output of this process end soon after a limit, even though the run may have
// ended before: nobody may read the report. 0 means no limit.
func endOutput(ctx context.Context, limit time.Duration) {
	if limit != 0 {
		time.AfterFunc(limit, func() { launch.EndOutput(ctx, timeoutError(limit)) })
	}
}

// timeoutError is the error of a run that exceeded --timeout. Its value is the limit.
type timeoutError time.Duration

func (o timeoutError) Error() string {
	return fmt.Sprintf("the --timeout of %v is over", time.Duration(o))
}

// Is makes errors.Is treat a timeoutError as context.DeadlineExceeded.
func (o timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// readText parses the text of the named flag into value.
func readText(c *cli.Context, flag string, value encoding.TextUnmarshaler) error {
	if err := value.UnmarshalText([]byte(c.String(flag))); err != nil {
		text := err.Error() // begins with the name of the package that parsed the flag
		_, text, _ = strings.Cut(text, ": ")
		return usage.Errorf("--%s", text)
	}
	return nil
}
