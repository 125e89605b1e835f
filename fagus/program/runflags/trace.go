package runflags

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/fagus/program/outfile"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
	"github.com/fagus-dsm/fagus/fagus/trace"
	"github.com/fagus-dsm/fagus/fagus/trace/tracefile"
)

func traceFlag(category string) cli.Flag {
	return &cli.StringFlag{Name: "trace", Category: category, Usage: "record what every rank does when, and what it waits for, to `FILE`: see it with fagus report FILE, or at ui.perfetto.dev"}
}

func (cfg *Config) readTrace(c *cli.Context) error {
	if err := notEmpty(c, "trace"); err != nil {
		return err
	}
	cfg.traceFile = c.String("trace")
	if cfg.traceFile == "" {
		return nil
	}
	if of, err := os.Stat(cfg.traceFile); err == nil && !of.Mode().IsRegular() {
		return usage.Errorf("--trace %s: want the name of a file", cfg.traceFile)
	}
	cfg.Trace = trace.New()
	cfg.Trace.Net = cfg.Network.Name
	return outfile.CheckFolder(filepath.Dir(cfg.traceFile))
}

// writeTrace writes the trace of a run. If the run has failed, each process writes what it has, to
// files of their own.
func (t *Target) writeTrace(failed error) error {
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
		return fmt.Errorf("--trace %s: %w", file, err)
	}
	return nil
}
