//go:build linux

package faults

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const schema = "fagus.faults/v1"

// Command returns the command fagus lab faults.
func Command() *cli.Command {
	networks := runflags.OfProcesses()
	return &cli.Command{
		Name: "faults", Usage: "strike jobs of real processes, and see what is reported, and when",
		UsageText: "fagus lab faults [flags]\n\nfagus lab faults\nfagus lab faults --net tcp --only killed\nfagus lab faults --restart 3\nfagus lab faults --restart 3 --kills 200 --host-faults 100\n" +
			"fagus lab faults --restart 3 --net quic --only 'sends nothing'\nfagus lab faults --json | jq '.rows[] | select(.wrong)'",
		Description: "Each fault strikes a job of 4 ranks that exchange data. Silence is forgiven for 1.6 s (--stall). Faults of\n" +
			"hosts need root and iproute2: network namespaces stand for hosts. Exit code 1: something went wrong.\n" +
			"With --restart the jobs compute, keep checkpoints and start again (fagus run sor --restart). Each must end as if\n" +
			"nothing had happened: with the same result, bit for bit. --kills and --host-faults strike at random instants\n" +
			"instead: ranks, up to 4 times in each job, and hosts, with a fault drawn from the table. A fault of a rank takes some\n" +
			"2 s, and one of a host 10 s.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "net", Value: "shm,tcp,quic", Usage: "networks, with commas between: " + networks.String()},
			&cli.StringFlag{Name: "only", Usage: "only faults whose name contains `TEXT`"},
			&cli.IntFlag{Name: "restart", Usage: "strike jobs that restart up to `N` times (and once more for each kill after the first), and compare results"},
			&cli.IntFlag{Name: "kills", Usage: "with --restart: kill `N` ranks at random instants"},
			&cli.IntFlag{Name: "host-faults", Usage: "with --restart: strike `N` hosts at random instants"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of what is drawn at random"},
			&cli.IntFlag{Name: "workers", Value: 2, Usage: "with --restart: run `N` jobs at a time, which often wait"},
			base.JSONFlag(schema),
		},
		Action: base.NoArgs(func(c *cli.Context) error {
			nets, err := networks.FindAll(c.String("net"))
			if err != nil {
				return err
			}
			if c.IsSet("restart") {
				return runDeaths(c, nets)
			}
			if c.IsSet("kills") || c.IsSet("host-faults") || c.IsSet("workers") || c.IsSet("seed") {
				return usage.Errorf("--kills, --host-faults, --workers and --seed need --restart")
			}
			trials := slices.DeleteFunc(tableOfDeaths(nets, c.String("only")), func(t death) bool { return t.restart })
			if len(trials) == 0 {
				return usage.Errorf("--only %q: no fault has this in its name", c.String("only"))
			}
			return runTrials(c, trials)
		}),
	}
}

// document is the result of the command.
type document struct {
	Schema  string   `json:"schema"`
	Rows    []struck `json:"rows"`
	Wrong   int      `json:"wrong"`   // number of rows with something wrong
	Skipped string   `json:"skipped"` // why faults of hosts were not tried; "" if they were
}

func runTrials(c *cli.Context, trials []death) error {
	d := document{Schema: schema}
	trials, d.Skipped = triable(trials, func(t death) bool { return t.hosts })
	bar := base.NewProgress(c.App.ErrWriter, "faults", len(trials))
	defer bar.Stop()
	for i, t := range trials {
		row, err := t.strike(c.Context, i)
		if err != nil {
			return err
		}
		bar.Add(1)
		if row.Wrong != "" {
			d.Wrong++
		}
		d.Rows = append(d.Rows, row)
	}
	bar.Stop()
	if err := base.PrintText(c, d, d.text); err != nil {
		return err
	}
	if d.Wrong > 0 {
		return fmt.Errorf("%d of %d faults went wrong", d.Wrong, len(d.Rows))
	}
	return nil
}

func (d *document) text() string {
	t := base.NewTable(table.Row{"net", "fault", "reported after", "exit", "left", "last line of the launcher"}, 3, 4, 5)
	for _, r := range d.Rows {
		after := "-"
		if r.ReportedMs > 0 {
			after = fmt.Sprintf("%.0f ms", r.ReportedMs)
		}
		exit := fmt.Sprint(r.Exit)
		if r.Exit < 0 {
			exit = "-"
		}
		text := r.Text
		if r.Wrong != "" {
			text = "WRONG: " + r.Wrong + ": " + text
		}
		t.AppendRow(table.Row{r.Network, r.Fault, after, exit, r.Left, fmt.Sprintf("%.90s", text)})
	}
	return fmt.Sprintf("%s\n\n%d faults, %d of them with something wrong\n%s", t.Render(), len(d.Rows), d.Wrong, skippedText(d.Skipped))
}

// struck is what one fault has done: a row of the table.
type struck struct {
	Network    string  `json:"net"`
	Fault      string  `json:"fault"`
	Hosts      bool    `json:"hosts"`
	ReportedMs float64 `json:"reported_ms"` // from the fault to the first line; 0 if there was none
	Text       string  `json:"text"`        // the last line of the launcher
	Exit       int     `json:"exit"`        // exit code of the launcher; -1: none
	Left       int     `json:"left"`        // processes left 3 s after the launcher has ended
	Wrong      string  `json:"wrong,omitempty"`
}

// strike runs a job that does not restart, strikes it, and watches what follows.
func (t *death) strike(ctx context.Context, number int) (s struck, err error) {
	s = struck{Network: t.network, Fault: t.of(t.victim), Hosts: t.hosts, Exit: -1}
	one := spec{args: exchange(), network: t.network, ranks: ranks, number: number, env: []string{"FAGUS_STALL=" + stall.String()}}
	if t.hosts {
		one.hosts = ranks
	}
	s.Left, err = one.run(ctx, func(j *job) error {
		if err := j.awaitStart(ctx); err != nil {
			return fmt.Errorf("%s, %s: %w", t.network, s.Fault, err)
		}
		before := j.forget() // the warning of a job without identities is no report
		at := time.Now()
		if err := t.disturb(j, t.victim); err != nil {
			return fmt.Errorf("%s: %w", s.Fault, err)
		}
		bound, running := endTime, false
		if t.goesOn {
			bound = calm
		}
		select {
		case <-j.ended:
			s.Exit = j.cmd.ProcessState.ExitCode()
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(bound):
			running = true
		}
		lines := j.output()[before:]
		if j.mu.Lock(); !j.reported.IsZero() {
			s.ReportedMs = float64(j.reported.Sub(at).Microseconds()) / 1000
		}
		j.mu.Unlock()
		if len(lines) > 0 {
			s.Text = lines[len(lines)-1]
		}
		s.Wrong = t.judge(running, s, strings.Join(lines, "\n"))
		return nil
	})
	s.Wrong = cmp.Or(s.Wrong, leftText(s.Left))
	return s, err
}

// judge returns what is wrong with the job after the fault; "" if nothing is.
func (t *death) judge(running bool, s struck, text string) string {
	reported := s.ReportedMs > 0
	switch {
	case t.goesOn && !running:
		return "the job has ended"
	case t.goesOn && strings.Contains(text, "rank") && !strings.Contains(text, "warning"):
		return "a rank is accused"
	case t.goesOn:
		return ""
	case running:
		return fmt.Sprintf("the job runs after %v", endTime)
	case t.silent:
		return ""
	case s.Exit == 0:
		return "the exit code is 0"
	case !reported && !t.unknown:
		return "nothing is reported"
	case !t.unknown && !strings.Contains(s.Text, fmt.Sprintf("rank %d", t.victim)):
		return fmt.Sprintf("the last line does not name rank %d", t.victim)
	}
	return ""
}
