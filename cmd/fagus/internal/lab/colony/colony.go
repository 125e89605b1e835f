package colony

import (
	"errors"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/colony"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const schema = "fagus.colony/v1"

type report struct {
	Schema string  `json:"schema"`
	Link   string  `json:"link"`
	Damage float64 `json:"damage"`
	Home   int     `json:"home"`
	Frames int     `json:"frames"`
	Reads  int     `json:"reads"`
	*colony.PagesReport
}

// Command returns the command fagus lab colony.
func Command() *cli.Command {
	const machine, pages, program = "the machine", "the pages", "the program"
	return &cli.Command{
		Name: "colony", Usage: "run a program over the home, copy and dummy pages of the Computer Colony",
		UsageText: `fagus lab colony [flags]

fagus lab colony                              2 boards, a tenth of the accesses are writes
fagus lab colony --writes 0.5                 writes invalidate more copies
fagus lab colony --reads 8 --frames 1         few pages become copies
fagus lab colony --boards 4 --damage 0.01 --link twice --json`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "boards", Category: machine, Value: 2, Usage: fmt.Sprintf("number of `BOARDS`, 1 to %d", colony.MaxNodes)},
			&cli.StringFlag{Name: "link", Category: machine, Value: colony.Burst.String(), Usage: "a packet is sent in one burst of 96 bits, in parts of 32 bits, or in parts that are sent twice: 96, 32 or twice"},
			&cli.Float64Flag{Name: "damage", Category: machine, Usage: "a packet is damaged with probability `P`"},
			&cli.Uint64Flag{Name: "seed", Category: machine, Value: 1, Usage: "`SEED` of the program's accesses and of damage"},
			&cli.IntFlag{Name: "home", Category: pages, Value: 4, Usage: "home `PAGES` of each board"},
			&cli.IntFlag{Name: "frames", Category: pages, Value: 4, Usage: "`PAGES` that a board can hold copies of"},
			&cli.IntFlag{Name: "reads", Category: pages, Value: 2, Usage: "a dummy page becomes a copy after `N` remote reads"},
			&cli.IntFlag{Name: "accesses", Category: program, Value: 1000, Usage: "`ACCESSES` of each board"},
			&cli.Float64Flag{Name: "writes", Category: program, Value: 0.1, Usage: "fraction `F` of the accesses that are writes, 0 to 1"},
			&cli.IntFlag{Name: "words", Category: program, Value: 64, Usage: "accessed `WORDS` of each page, at least one per board"},
			&cli.IntFlag{Name: "think", Category: program, Usage: "a board computes for up to `N` clocks between accesses"},
			base.JSONFlag(schema),
		},
		Action: base.NoArgs(runPages),
	}
}

func runPages(c *cli.Context) error {
	for _, flag := range []string{"boards", "home", "frames", "reads", "accesses", "words"} {
		if c.Int(flag) < 1 {
			return usage.Errorf("--%s %d: want at least 1", flag, c.Int(flag))
		}
	}
	if c.Uint64("seed") == 0 {
		return usage.Errorf("--seed 0: want at least 1")
	}
	r := &report{Schema: schema, Link: c.String("link"), Damage: c.Float64("damage"), Home: c.Int("home"), Frames: c.Int("frames"), Reads: c.Int("reads")}
	link, err := parseLink(r.Link)
	if err != nil {
		return err
	}
	r.PagesReport, err = colony.RunPages(
		colony.Config{Boards: c.Int("boards"), Link: link, Damage: r.Damage, Seed: c.Uint64("seed")},
		colony.PagesConfig{Home: r.Home, Frames: r.Frames, Reads: r.Reads},
		colony.PagesLoad{Accesses: c.Int("accesses"), Writes: c.Float64("writes"), Words: c.Int("words"), Think: c.Int("think")})
	if errors.Is(err, colony.ErrTries) {
		return err
	}
	if err != nil {
		return usage.Wrap(err)
	}
	return base.PrintText(c, r, r.text)
}

func parseLink(name string) (colony.Link, error) {
	for _, l := range []colony.Link{colony.Burst, colony.Split, colony.Twice} {
		if l.String() == name {
			return l, nil
		}
	}
	return 0, usage.Errorf("--link %q: want %v, %v or %v", name, colony.Burst, colony.Split, colony.Twice)
}

func (r *report) text() string {
	const clock = 20 * dimmnet.Nanosecond
	t := base.NewTable(table.Row{"access", "count", "mean clocks", "mean"}, 2, 3, 4)
	for _, a := range r.Access {
		t.AppendRow(table.Row{a.Kind, a.Count, fmt.Sprintf("%.1f", a.Mean()), dimmnet.Time(a.Mean() * float64(clock))})
	}
	p, n := &r.Pages, &r.Network
	return fmt.Sprintf("%d boards, link %s, seed %d: %d home pages and %d frames each, a copy after %d remote reads\n\n%s\n\n"+
		"pages: %d became copies, %d copies were evicted; %d blocks were fetched, %d invalidated\n"+
		"network: %d remote accesses, %d packets, of which %d were damaged; %d retries\n"+
		"%d clocks of %v in all; %d reads returned an old value\n",
		r.Boards, r.Link, r.Seed, r.Home, r.Frames, r.Reads, t.Render(),
		p.Copied, p.Evicts, p.Misses, p.Invalidations,
		n.Requests, n.Packets, n.Damaged, n.Retries, r.Clocks, clock, r.Wrong)
}
