package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/dimmnet/capacity"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const plainSchema = "fagus.plain/v2"

type plainReport struct {
	Result
	MeasuredNs int64 `json:"measured_ns"`
}

func runPlain(c *cli.Context, p catalog.Program) error {
	for _, f := range append(cmdline.Flags(runflags.Flags()...), &cli.StringFlag{Name: "timeline"}) {
		if name := f.Names()[0]; c.IsSet(name) && name != "seed" && name != "timeout" {
			return usage.Errorf("--plain runs without Fagus: use it without --%s", name)
		}
	}
	limit, err := runflags.Timeout(cmdline.Line(c))
	if err != nil {
		return err
	}
	cfg := runflags.Config{Timeout: limit}
	ctx, end := cfg.Begin(c.Context, c.App.ErrWriter, "fagus")
	defer end()
	j, err := prepare(c, p, 1)
	if err != nil {
		return err
	}
	if err := j.CheckMemory(capacity.Left(), 1); err != nil {
		return err
	}
	if j.Open != nil {
		cfg.Doing(readingInput)
		if err := j.Open(ctx); err != nil {
			return err
		}
	}
	if j.Plain == nil {
		return usage.Errorf("%s has no version without Fagus", j.App)
	}
	cfg.Doing("the program has not ended")
	bar := base.NewProgress(c.App.ErrWriter, j.Unit, j.Units)
	r, err := executePlain(ctx, j, bar.Add)
	bar.Stop()
	if err != nil {
		return err
	}
	cfg.Doing("writing the results has not ended")
	if !r.Verified {
		err = fmt.Errorf("verification failed: %s", r.Verification.Against())
	} else if j.Write != nil {
		err = j.Write()
	}
	return errors.Join(err, base.PrintText(c, r, r.text))
}

// executePlain runs j without Fagus. After the end of ctx it returns, though the program runs on.
func executePlain(ctx context.Context, j *catalog.Job, progress func(int)) (*plainReport, error) {
	type result struct {
		catalog.Outcome
		err error
	}
	done := make(chan result, 1)
	go func() {
		o, err := j.Plain(func(section func()) fagus.Time {
			began := time.Now()
			section()
			return base.Nanoseconds(time.Since(began).Nanoseconds())
		}, progress)
		done <- result{o, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, o.err
		}
		return &plainReport{newResult(plainSchema, j, &o.Outcome), o.Took.Nanoseconds()}, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%s without Fagus: %w", j.App, context.Cause(ctx))
	}
}

func (r *plainReport) text() string {
	text := fmt.Sprintf("%s: %s\nwithout Fagus, in one goroutine\n\n%s%s: %v\n", r.App, r.Size, verdict(r.Verified, r.Verification),
		strings.TrimSuffix(r.measured, ", of the slowest rank"), base.Nanoseconds(r.MeasuredNs))
	if r.Outcome != "" {
		text += r.Outcome + "\n"
	}
	return text
}

func verdict(verified bool, v catalog.Verification) string {
	word := "verified"
	if !verified {
		word = "WRONG"
	}
	return fmt.Sprintf("%s: %v (limit %.3g)\n", word, v, v.Limit)
}
