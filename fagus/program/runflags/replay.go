package runflags

import (
	"os"
	"strconv"

	"github.com/fagus-dsm/fagus/fagus/program/usage"
	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/fagus/replay"
)

// replayed is the rank that this process runs alone, with what a record has; nil: none. Where the
// command line says that the program runs, and what it keeps of the run, means nothing then.
type replayed struct{ rank int }

// readReplay reads from the environment whether this process replays a rank. It returns nil if it
// does not, and the number of nodes in the place of the one that the command line has.
func readReplay(nodes setting) (*replayed, setting, error) {
	dir, rank, err := replay.Wanted(os.LookupEnv)
	if dir == "" || err != nil {
		return nil, nodes, usage.Wrap(err)
	}
	run, err := recording.Open(dir)
	if err != nil {
		return nil, nodes, usage.Wrap(err)
	}
	return &replayed{rank}, setting{value: strconv.Itoa(run.Nodes), source: "the record " + dir}, nil
}

// replays ends the reading of flags in a process that replays a rank. Package fagus takes the rest
// from the record.
func (cfg *Config) replays() {
	cfg.Record, cfg.Trace, cfg.Meter, cfg.traceFile, cfg.Checkpoints = recording.New(""), nil, nil, "", checkpoints{}
	cfg.profiles = profiles{}
}
