//go:build linux

package faults

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const campaignSchema = "fagus.campaign/v1"

// Campaign returns the command fagus lab campaign.
func Campaign() *cli.Command {
	networks := liveNetworks()
	return &cli.Command{
		Name: "campaign", Usage: "run random programs on live networks, under the faults of processes and hosts, and verify every run",
		UsageText: "fagus lab campaign [flags]\n\nfagus lab campaign --time 1m\nfagus lab campaign --time 2h --out campaign.json\nfagus lab campaign --net tcp --only 'pause' --verbose\nfagus lab campaign --seed 1234 --jobs 1 --verbose",
		Description: "Each seed is a random program (fagus run random), a network, a configuration and a fault. Faults of hosts need\n" +
			"root and iproute2: network namespaces stand for hosts. Exit code 1: a run was wrong, hung or left something.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "net", Value: strings.ReplaceAll(networks.String(), " or ", ", "), Usage: "networks, with commas between"},
			&cli.StringFlag{Name: "only", Usage: "only faults whose name contains `TEXT`; \"" + noTrouble + "\" is none"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "the `FIRST` seed"},
			&cli.Uint64Flag{Name: "jobs", DefaultText: "any", Usage: "stop after `N` jobs"},
			&cli.DurationFlag{Name: "time", Value: time.Minute, Usage: "start no job after `TIME`"},
			&cli.DurationFlag{Name: "limit", Value: 5 * time.Minute, Usage: "a job that runs longer hangs; most take less than a second"},
			&cli.IntFlag{Name: "workers", Value: 2 * runtime.NumCPU(), DefaultText: "2 per processor", Usage: "run `N` jobs at a time, which often wait"},
			&cli.BoolFlag{Name: "verbose", Usage: "print every job and its outcome to standard error"},
			&cli.StringFlag{Name: "out", Usage: "write the JSON document to `FILE`, also during the campaign"},
			base.JSONFlag(campaignSchema),
		},
		Action: base.NoArgs(runCampaign),
	}
}

func liveNetworks() runflags.List {
	return runflags.Which(func(n runflags.Network) bool { return !n.Simulated })
}

// campaign runs jobs and counts their outcomes.
type campaign struct {
	nets     []runflags.Network
	troubles []trouble
	detects  []string // methods of write detection
	replay   string   // the command that runs a case again, without its seed
	first    uint64
	jobs     uint64 // 0: any number
	until    time.Time
	limit    time.Duration // of a job
	out      string
	log      io.Writer // for --verbose; nil without it

	mu  sync.Mutex
	doc tally
}

// tally is the result of a campaign.
type tally struct {
	Schema   string    `json:"schema"`
	First    uint64    `json:"first_seed"`
	Seconds  float64   `json:"seconds"`
	Jobs     int       `json:"jobs"`
	Contents int       `json:"contents"` // compared with the model
	Rows     []figures `json:"rows"`
	Failures []failure `json:"failures"`
	Skipped  string    `json:"skipped"` // why faults of hosts were not tried; "" if they were
}

// figures are the outcomes of the jobs of a network with a fault.
type figures struct {
	Network string `json:"net"`
	Fault   string `json:"fault"`
	Jobs    int    `json:"jobs"`
	Right   int    `json:"right"`    // ended with a result that was verified
	Ended   int    `json:"reported"` // ended by the fault, and said so
	Wrong   int    `json:"wrong"`    // a wrong result, a wrong report, or none
	Hung    int    `json:"hung"`
	Left    int    `json:"left"` // processes left
}

type failure struct {
	Seed   uint64   `json:"seed"`
	Case   string   `json:"case"`
	Why    string   `json:"why"`
	Lines  []string `json:"stderr"`
	Replay string   `json:"replay"`
}

func runCampaign(c *cli.Context) error {
	if err := base.CheckWritable(c, "out", func(string) error { return nil }); err != nil {
		return err
	}
	p, err := newCampaign(c)
	if err != nil {
		return err
	}
	begun := time.Now()
	bar := base.NewProgress(c.App.ErrWriter, "seconds", int(c.Duration("time").Seconds()))
	more := func(i int) bool { return (p.jobs == 0 || uint64(i) < p.jobs) && time.Now().Before(p.until) }
	failed := experiment.Crowd(c.Context, c.Int("workers"), more, func(ctx context.Context, i int) error {
		one := newCase(p.first+uint64(i), p.nets, p.troubles, p.detects)
		o, err := one.run(ctx, i, p.limit)
		if err != nil || ctx.Err() != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
		return p.add(&one, o, time.Since(begun).Seconds(), bar)
	})
	bar.Stop()
	p.doc.Seconds = time.Since(begun).Seconds()
	// A campaign that is interrupted reports what it has done, too.
	if err := cmp.Or(failed, p.save(), base.PrintText(c, &p.doc, p.doc.text)); err != nil {
		return err
	}
	if n := len(p.doc.Failures); n > 0 {
		return fmt.Errorf("campaign: %d of %d jobs went wrong; the first again by: %s", n, p.doc.Jobs, p.doc.Failures[0].Replay)
	}
	return nil
}

func newCampaign(c *cli.Context) (*campaign, error) {
	p := &campaign{first: c.Uint64("seed"), jobs: c.Uint64("jobs"), until: time.Now().Add(c.Duration("time")), limit: c.Duration("limit"), out: c.String("out")}
	p.replay = fmt.Sprintf("fagus lab campaign --net %q --only %q --jobs 1 --verbose", c.String("net"), c.String("only"))
	p.doc = tally{Schema: campaignSchema, First: p.first, Failures: []failure{}}
	if c.Int("workers") < 1 || c.Duration("time") <= 0 || p.limit <= 0 {
		return nil, usage.Errorf("--workers %d --time %v --limit %v: want at least 1, and more than 0s", c.Int("workers"), c.Duration("time"), p.limit)
	}
	var err error
	if p.nets, err = liveNetworks().FindAll(c.String("net")); err != nil {
		return nil, err
	}
	for _, t := range troubles() {
		if strings.Contains(t.name, c.String("only")) {
			p.troubles = append(p.troubles, t)
		}
	}
	if len(p.troubles) == 0 {
		return nil, usage.Errorf("--only %q: no fault has this in its name", c.String("only"))
	}
	if p.troubles[0].strike != nil { // no case without a fault: goroutines have none
		if p.nets = slices.DeleteFunc(p.nets, func(n runflags.Network) bool { return !n.Processes }); len(p.nets) == 0 {
			return nil, usage.Errorf("--only: the faults strike processes: use --net %v", runflags.OfProcesses())
		}
	}
	for _, d := range []fagus.WriteDetection{fagus.DetectAuto, fagus.DetectTwin, fagus.DetectKept, fagus.DetectKernel} {
		// The kernel's method needs Linux 6.7.
		if _, err := fagus.Run(c.Context, fagus.Config{Nodes: 1, WriteDetection: d}, func(*fagus.Node) error { return nil }); err == nil {
			p.detects = append(p.detects, d.String())
		}
	}
	p.troubles, p.doc.Skipped = triable(p.troubles, func(t trouble) bool { return t.hosts })
	if len(p.troubles) == 0 {
		return nil, fmt.Errorf("campaign: faults of hosts cannot be tried here: %s", p.doc.Skipped)
	}
	if c.Bool("verbose") {
		p.log = c.App.ErrWriter
	}
	return p, nil
}

// add counts the outcome of a case.
func (p *campaign) add(c *randomCase, o outcome, seconds float64, bar *base.Progress) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := &p.doc
	bar.Add(int(seconds) - int(d.Seconds))
	d.Seconds = max(d.Seconds, seconds)
	d.Jobs++
	d.Contents += o.contents
	at := slices.IndexFunc(d.Rows, func(f figures) bool { return f.Network == c.network && f.Fault == c.trouble.name })
	if at < 0 {
		at = len(d.Rows)
		d.Rows = append(d.Rows, figures{Network: c.network, Fault: c.trouble.name})
	}
	row := &d.Rows[at]
	row.Jobs++
	row.Left += o.left
	switch {
	case o.hung:
		row.Hung++
	case o.wrong != "":
		row.Wrong++
	case o.right:
		row.Right++
	default:
		row.Ended++
	}
	verdict := "right"
	if o.wrong != "" {
		verdict = "WRONG: " + o.wrong
		d.Failures = append(d.Failures, failure{
			Seed: c.seed, Case: c.String(), Why: o.wrong, Lines: o.lines,
			Replay: fmt.Sprintf("%s --seed %d", p.replay, c.seed),
		})
	} else if !o.right {
		verdict = "reported: " + strings.Join(o.lines[max(0, len(o.lines)-1):], "")
	}
	if p.log != nil {
		fmt.Fprintf(p.log, "%v: %s\n", c, verdict)
	}
	if o.wrong != "" || d.Jobs%100 == 0 {
		return p.save()
	}
	return nil
}

// save writes the document to the file of --out.
func (p *campaign) save() error {
	if p.out == "" {
		return nil
	}
	return base.SaveJSON(p.out, &p.doc)
}

func (d *tally) text() string {
	slices.SortFunc(d.Rows, func(a, b figures) int {
		return cmp.Or(cmp.Compare(a.Network, b.Network), cmp.Compare(a.Fault, b.Fault))
	})
	t := base.NewTable(table.Row{"net", "fault", "jobs", "right", "reported", "wrong", "hung", "left"}, 3, 4, 5, 6, 7, 8)
	var all figures
	for _, r := range d.Rows {
		t.AppendRow(table.Row{r.Network, r.Fault, r.Jobs, r.Right, r.Ended, r.Wrong, r.Hung, r.Left})
		all = figures{Right: all.Right + r.Right, Ended: all.Ended + r.Ended, Wrong: all.Wrong + r.Wrong, Hung: all.Hung + r.Hung, Left: all.Left + r.Left}
	}
	t.AppendFooter(table.Row{"", "all", d.Jobs, all.Right, all.Ended, all.Wrong, all.Hung, all.Left})
	text := fmt.Sprintf("%s\n\nright: ended with a result that was verified; reported: ended by the fault, with a report that names its rank\n"+
		"%d jobs from seed %d in %.0f s: %d contents compared with the model\n%s", t.Render(), d.Jobs, d.First, d.Seconds, d.Contents, skippedText(d.Skipped))
	for _, f := range d.Failures {
		text += fmt.Sprintf("\n%s: %s\n  %s\nagain by: %s\n", f.Case, f.Why, strings.Join(f.Lines, "\n  "), f.Replay)
	}
	return text
}
