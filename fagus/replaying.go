package fagus

import (
	"context"
	"fmt"
	"os"

	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/fagus/replay"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// replayed returns c as the configuration of a replay, if the environment asks for one and c
// records the run, which is the process's run with this number that it records.
func (c Config) replayed(run int) (Config, error) {
	if c.Record == nil {
		return c, nil
	}
	dir, rank, err := replay.Wanted(os.LookupEnv)
	if dir == "" || err != nil {
		return c, err
	}
	r, err := replay.Open(recording.Sub(dir, 0, run), rank)
	if err != nil {
		return c, fmt.Errorf("fagus: a replay: %w", err)
	}
	c.replay = r
	c.Nodes, c.Net = r.Nodes, r.Network()
	c.Transfer, c.Lists, c.Placement, c.Helpers, c.Notices, c.Direct = Auto, ListsAuto, PlacePrivate, false, false, false
	c.Record, c.Checkpoints, c.History, c.Trace, c.Meter, c.Timeline = nil, nil, nil, nil, nil, false
	if err := c.Mode.UnmarshalText([]byte(r.Mode)); err != nil {
		return c, err
	}
	for level := CheckOff; level <= CheckStrict; level++ {
		if level.String() == r.Check {
			c.Check = level
		}
	}
	if again := os.Getenv(replay.RecordVariable); again != "" {
		c.Record = recording.New(recording.Sub(again, 0, run))
		c.Record.Values, c.Record.Program, c.Record.Net = true, r.Program, r.Net
	}
	return c, nil
}

// detect selects the write detection of a replay. By all that compare data the same bytes have
// changed.
func (c *Config) detect() {
	if c.replay == nil {
		return
	}
	if c.WriteDetection = DetectTwin; c.replay.Detection == DetectDeclared.String() {
		c.WriteDetection = DetectDeclared
	}
}

// runReplay runs the rank of a replay, and tells what came of it.
func (c *Config) runReplay(ctx context.Context, program func(*Node) error, board *rollcall.Board, declared *declarations) (report Report, err error) {
	ended := false
	defer func() {
		if !ended { // by a panic
			_ = c.replay.Finish(fmt.Errorf("panic")).Write(os.LookupEnv)
		}
	}()
	results := make([]result, c.Nodes)
	err = c.Net.Run(ctx, c.Nodes, c.body(ctx, program, board, declared, results))
	ended = true
	defer c.replay.Close()
	result := c.replay.Finish(err)
	if told := result.Write(os.LookupEnv); err == nil && told != nil {
		err = fmt.Errorf("fagus: %w", told)
	}
	report = Report{Clock: c.Net.Clock(), Mode: c.Mode}
	if err == nil {
		report.add(results, CheckOff)
	}
	return report, err
}
