package runflags

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/outfile"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
	"github.com/fagus-dsm/fagus/fagus/recording"
)

const (
	recordFlag = "record"
	valuesFlag = "record-values"
	limitFlag  = "record-limit"
)

func recordFlags(category string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: recordFlag, Category: category, Usage: "keep in `DIR`, which must be new, which rank has written which elements: ask with fagus why DIR 'A[17]' and fagus diff DIR1 DIR2. Each rank has copies of its own then (--placement private)"},
		&cli.BoolFlag{Name: valuesFlag, Category: category, Usage: "with --record: keep what they have written, too, for fagus show DIR A, and for fagus diff to compare it all"},
		&cli.IntFlag{Name: limitFlag, Category: category, Value: recording.DefaultLimit >> 20, Usage: "with --record: most `MIB` of all ranks' files; a rank that reaches its share records no more, and the run goes on"},
	}
}

func (cfg *Config) readRecord(c *cli.Context) error {
	if err := notEmpty(c, recordFlag); err != nil {
		return err
	}
	dir := c.String(recordFlag)
	for _, flag := range []string{valuesFlag, limitFlag} {
		if dir == "" && c.IsSet(flag) {
			return usage.Errorf("--%s is about a record: use it with --%s", flag, recordFlag)
		}
	}
	if dir == "" {
		return nil
	}
	limit := c.Int(limitFlag)
	if limit < 1 || limit > 1<<30 {
		return usage.Errorf("--%s %d: want 1 to %d MiB", limitFlag, limit, 1<<30)
	}
	cfg.Record = recording.New(dir)
	cfg.Record.Values, cfg.Record.Limit, cfg.Record.Net = c.Bool(valuesFlag), int64(limit)<<20, cfg.Network.Name
	return outfile.CheckFolder(filepath.Dir(filepath.Clean(dir)))
}

// checkRecord is called when the configuration is known, in the process that starts the ranks, too.
func (cfg *Config) checkRecord() error {
	switch {
	case cfg.Record == nil:
		return nil
	case cfg.Placement == fagus.PlaceShared:
		return usage.Errorf("--%s needs private copies, because in a copy that ranks share nobody sees which bytes a rank writes: use --placement %v", recordFlag, fagus.PlacePrivate)
	case cfg.place != nil && cfg.place.Attempt > 0:
		cfg.Record.Attempt = cfg.place.Attempt // the record of the one that failed says why
	case cfg.place == nil && recording.Holds(cfg.Record.Dir):
		return usage.Errorf("--%s %s: the directory has a record already: name another one, or remove it", recordFlag, cfg.Record.Dir)
	}
	return nil
}

// reportRecord says which ranks of this process have recorded less than all.
func (t *Target) reportRecord(w io.Writer) {
	if t.Record == nil {
		return
	}
	const most = 3
	notes := t.Record.Notes()
	for _, note := range notes[:min(most, len(notes))] {
		fmt.Fprintf(w, "fagus: %s\n", note)
	}
	if more := len(notes) - most; more > 0 {
		fmt.Fprintf(w, "fagus: and so of %d more ranks\n", more)
	}
}
