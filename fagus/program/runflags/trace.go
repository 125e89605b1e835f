package runflags

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/outfile"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
	"github.com/fagus-dsm/fagus/fagus/trace"
	"github.com/fagus-dsm/fagus/fagus/trace/tracefile"
)

const (
	traceFlag      = "trace"
	traceLimitFlag = "trace-limit"
)

// mostTraceLimit is the largest --trace-limit, in MiB.
const mostTraceLimit = 1 << 20

func traceFlags(category string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: traceFlag, Category: category, Usage: "record what every rank does when, and what it waits for, to `FILE`: see it with fagus report FILE, or at ui.perfetto.dev"},
		&cli.IntFlag{Name: traceLimitFlag, Category: category, Value: trace.DefaultLimit >> 20, Usage: "with --trace: most `MIB` of memory for the events of all ranks together, each rank its share, and without the flag at most 16 of them; when that is full, new events replace the oldest ones"},
	}
}

func (cfg *Config) readTrace(c *cli.Context) error {
	if err := notEmpty(c, traceFlag); err != nil {
		return err
	}
	cfg.traceFile = c.String(traceFlag)
	switch {
	case cfg.traceFile == "" && c.IsSet(traceLimitFlag):
		return usage.Errorf("--%s is about a trace: use it with --%s", traceLimitFlag, traceFlag)
	case cfg.traceFile == "":
		return nil
	}
	limit := c.Int(traceLimitFlag)
	if limit < 1 || limit > mostTraceLimit {
		return usage.Errorf("--%s %d: want 1 to %d MiB", traceLimitFlag, limit, mostTraceLimit)
	}
	if of, err := os.Stat(cfg.traceFile); err == nil && !of.Mode().IsRegular() {
		return usage.Errorf("--%s %s: want the name of a file", traceFlag, cfg.traceFile)
	}
	cfg.Trace = trace.New()
	cfg.Trace.Net = cfg.Network.Name
	if c.IsSet(traceLimitFlag) {
		cfg.Trace.Limit = int64(limit) << 20
	}
	return outfile.CheckFolder(filepath.Dir(cfg.traceFile))
}

// writeTrace writes the trace of a run. If the run has failed, each process writes what it has, to
// files of their own.
func (t *Target) writeTrace(failed error, w io.Writer) error {
	file := t.traceFile
	switch {
	case file == "":
		return nil
	case t.Rank() != 0 && failed == nil:
		return nil
	case t.Rank() != 0:
		ext := filepath.Ext(file)
		file = fmt.Sprintf("%s.rank%d%s", strings.TrimSuffix(file, ext), t.Rank(), ext)
	}
	t.Trace.Program = t.Program
	t.Doing("writing the trace has not ended")
	if err := outfile.Replace(file, func(w io.Writer) error { return tracefile.Write(w, t.Trace) }); err != nil {
		return fmt.Errorf("--%s %s: %w", traceFlag, file, err)
	}
	if dropped, all := t.Trace.Dropped(); dropped > 0 {
		fmt.Fprintf(w, "fagus: %s has the last %d of %d events: the first ones are gone, see --%s\n", file, all-dropped, all, traceLimitFlag)
	}
	return nil
}
