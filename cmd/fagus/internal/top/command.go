package top

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/metrics"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const least = 100 * time.Millisecond // between two frames

// Command returns the command fagus top.
func Command() *cli.Command {
	return &cli.Command{
		Name: "top", Usage: "show what the ranks of a job that is running do",
		UsageText: `fagus top [flags] [JOB | ADDR...]

fagus run sor --net tcp --nodes 4 --metrics 127.0.0.1:9100      a run to look at
fagus top                                                       all of its ranks, every second
fagus top sor                                                   if you have several jobs on this host
fagus top host7:9100                                            from another host
fagus top --count 1 --json sor`,
		Description: "The job must have been started with --metrics. JOB is the name of the program or of the job, or the\n" +
			"number of its launcher or of one of its processes: it needs a process of yours on this host. ADDR is\n" +
			"where a process of the job serves metrics. That process asks the other ranks over the connections of the job, so one is\n" +
			"enough, unless the ranks have joined by the key-value store of a launcher (FAGUS_JOIN=pmi). The\n" +
			"command ends when no process answers any more.",
		Flags: []cli.Flag{
			&cli.DurationFlag{Name: "interval", Value: time.Second, Usage: "`TIME` between two frames, 100ms or more"},
			&cli.IntFlag{Name: "count", Usage: "end after `N` frames", DefaultText: "no end"},
			base.JSONFlag(metrics.Schema + ", for each frame"),
		},
		Action: func(c *cli.Context) error {
			switch {
			case c.Duration("interval") < least:
				return usage.Errorf("--interval %v: want %v or more", c.Duration("interval"), least)
			case c.Int("count") < 0:
				return usage.Errorf("--count %d: want 1 or more", c.Int("count"))
			}
			job, err := read(c.Args().Slice())
			if err != nil {
				return err
			}
			return watch(c, job)
		},
	}
}

// watch prints frames until the run ends. Rates need two Documents, so the first one is no frame,
// unless there is no other.
func watch(c *cli.Context, job named) error {
	s := screen{to: c.App.Writer, file: os.Stdout, json: c.Bool("json")}
	var before *metrics.Document
	early := false
	for {
		now, err := job.look(c.Context)
		switch {
		case c.Context.Err() != nil:
			return nil // the user has seen enough
		case errors.Is(err, meter.ErrEarly):
			if !early {
				fmt.Fprintf(c.App.ErrWriter, "%v: waiting until all ranks of the job are connected\n", err)
			}
			early = true
		case err != nil && before != nil:
			if s.shown == 0 {
				err = s.show(nil, before)
			} else {
				err = nil
			}
			fmt.Fprintln(c.App.ErrWriter, "the run has ended, or its processes do not answer any more")
			return err
		case err != nil:
			return err
		case before != nil || s.json:
			if err := s.show(before, now); err != nil {
				return err
			}
			if s.shown == c.Int("count") {
				return nil
			}
			before = now
		default:
			before = now
		}
		select {
		case <-time.After(c.Duration("interval")):
		case <-c.Context.Done():
		}
	}
}

// screen shows frames one over the other on a terminal, and one after the other elsewhere.
type screen struct {
	to    io.Writer
	file  *os.File
	json  bool
	shown int // frames
	lines int // of the last one
}

func (s *screen) show(before, now *metrics.Document) error {
	s.shown++
	if s.json {
		return base.PrintJSON(s.to, now)
	}
	width, height, err := term.GetSize(int(s.file.Fd()))
	if err != nil {
		_, err := io.WriteString(s.to, frame(before, now, 0, 0)+"\n")
		return err
	}
	text := frame(before, now, width, height-1)
	var over strings.Builder
	if s.lines > 0 {
		fmt.Fprintf(&over, "\x1b[%dA\x1b[J", s.lines) // up to its first line, and clear from there
	}
	s.lines = strings.Count(text, "\n")
	_, err = io.WriteString(s.to, over.String()+text)
	return err
}
