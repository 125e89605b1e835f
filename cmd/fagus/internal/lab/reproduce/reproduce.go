package reproduce

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/reproduce"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/figure"
	"github.com/fagus-dsm/fagus/dimmnet/sim/colony"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const schema = "fagus.reproduce/v1"

type experiment struct {
	name  string
	about string
	run   func(context.Context, reproduce.Config) (*reproduce.Table, error)
	steps int // number of measurements, for the progress bar
}

func experiments() []experiment {
	return []experiment{
		{"aotf", "round trips and loops of one store", reproduce.AOTF, 20},
		{"barrier", "barrier of two nodes", reproduce.Barrier, 16},
		{"sum", "global sum over two nodes", reproduce.Sum, 28},
		{"sendrecv", "stores by a switch; BOTF against PUSH", reproduce.SendRecv, 13},
		{"colony", "the Computer Colony's NIC: reads and writes in clocks", reproduce.Colony, colony.ReproduceSteps},
		{"mpi", "DIMMnet-2: commands, eager messages and rendezvous", reproduce.MPI, 5},
	}
}

// report is the result of the experiments: one JSON document, or tables.
type report struct {
	Schema string `json:"schema"`
	Seed   uint64 `json:"seed"`
	Rounds int    `json:"rounds"`
	// Summary summarises the rows of environments A to D. Checks summarises the rows of barriers
	// and sums, to which the model's parameters were not fitted. Each is null without such rows.
	Summary *reproduce.Summary `json:"summary_a_to_d"`
	Checks  *reproduce.Summary `json:"checks_a_to_d"`
	// Blind summarises the rows of E and F that the model predicted before the papers' figures were
	// known, and Predicted these predictions.
	Blind     *reproduce.Summary `json:"blind_e_f"`
	Predicted *reproduce.Summary `json:"predicted_e_f"`
	Rows      []reproduce.Row    `json:"rows"`
	Curve     *reproduce.Curve   `json:"bandwidth,omitempty"`
	// Messages are the measured times of DIMM_Send.
	Messages []reproduce.Message `json:"dimm_send,omitempty"`

	tables []*reproduce.Table
}

// Command returns the command fagus lab reproduce.
func Command() *cli.Command {
	text := "fagus lab reproduce [EXPERIMENT] [flags]\n\nfagus lab reproduce            all of them\n"
	var commands []*cli.Command
	for _, e := range experiments() {
		text += fmt.Sprintf("fagus lab reproduce %-10s %s\n", e.name, e.about)
		commands = append(commands, &cli.Command{
			Name:      e.name,
			Usage:     e.about,
			UsageText: "fagus lab reproduce " + e.name + " [flags]",
			Flags:     reproduceFlags(),
			Action:    func(c *cli.Context) error { return runReproduce(c, []experiment{e}) },
		})
	}
	all := func(c *cli.Context) error { return runReproduce(c, experiments()) }
	commands = append(commands, &cli.Command{Name: "all", Usage: "all of them", UsageText: "fagus lab reproduce all [flags]\n\nfagus lab reproduce all --rounds 200", Flags: reproduceFlags(), Action: all})
	return &cli.Command{
		Name: "reproduce", Usage: "measure what the papers measured, and show their figures beside it",
		UsageText: text +
			"fagus lab reproduce sendrecv --figure bandwidth.svg\n" +
			"fagus lab reproduce --json | jq '.rows[] | select(.env == \"E\")'",
		Flags:       reproduceFlags(),
		Action:      all,
		Subcommands: commands,
	}
}

func reproduceFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "rounds", Value: 2000, Usage: "mean of `N` rounds"},
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of the phases of polls"},
		&cli.StringFlag{Name: "figure", Usage: "draw the bandwidth of BOTF and PUSH (sendrecv) to `FILE` (.svg)"},
		base.JSONFlag(schema),
	}
}

// given returns the context of a flag, which may be set before or after an experiment's name.
func given(c *cli.Context, flag string) *cli.Context {
	for _, context := range c.Lineage() {
		if context.IsSet(flag) {
			return context
		}
	}
	return c
}

func runReproduce(c *cli.Context, list []experiment) error {
	if c.Args().Present() {
		return usage.Errorf("no experiment %q: name one, or none for all; see 'fagus lab reproduce --help'", c.Args().First())
	}
	r := &report{Schema: schema, Seed: given(c, "seed").Uint64("seed"), Rounds: given(c, "rounds").Int("rounds")}
	if err := base.CheckRounds(r.Rounds, r.Seed); err != nil {
		return err
	}
	withFigure := given(c, "figure")
	picture := withFigure.String("figure")
	if err := base.CheckWritable(withFigure, "figure", figure.CheckName); err != nil {
		return err
	}
	if picture != "" && !slices.ContainsFunc(list, func(e experiment) bool { return e.name == "sendrecv" }) {
		return usage.Errorf("--figure draws what sendrecv measures: use it with 'fagus lab reproduce sendrecv'")
	}
	if err := r.measure(c, list); err != nil {
		return err
	}
	if picture != "" {
		if err := curveFigure(r.Curve).Save(picture); err != nil {
			return err
		}
	}
	return base.PrintText(given(c, "json"), r, r.text)
}

func (r *report) measure(c *cli.Context, list []experiment) error {
	steps := 0
	for _, e := range list {
		steps += e.steps
	}
	bar := base.NewProgress(c.App.ErrWriter, "measurements", steps)
	defer bar.Stop()
	cfg := reproduce.Config{Rounds: r.Rounds, Seed: r.Seed, Progress: func() { bar.Add(1) }}
	all := reproduce.Table{Rows: []reproduce.Row{}}
	for _, e := range list {
		t, err := e.run(c.Context, cfg)
		if err != nil {
			return err
		}
		if e.name == "sendrecv" {
			if r.Curve, err = reproduce.Bandwidth(c.Context, cfg); err != nil {
				return err
			}
			if r.Messages, err = reproduce.Messages(c.Context, cfg); err != nil {
				return err
			}
			t.AddCurve(r.Curve)
		}
		r.tables = append(r.tables, t)
		all.Rows = append(all.Rows, t.Rows...)
	}
	r.Rows = all.Rows
	r.Summary = all.Summary(reproduce.Fitted)
	r.Checks = all.Summary(func(row *reproduce.Row) bool { return reproduce.Fitted(row) && row.Table != "aotf" })
	r.Blind = all.Summary(func(row *reproduce.Row) bool { return reproduce.Blind(row) && row.Predicted != nil })
	r.Predicted = all.Predictions(reproduce.Blind)
	return nil
}

func (r *report) text() string {
	text := ""
	for _, t := range r.tables {
		text += fmt.Sprintf("%s: %s\n\n%s\n\n", t.Name, t.Title, errorTable(t))
	}
	if r.Curve != nil {
		text += fmt.Sprintf("%s\n\n%s\n\n", curveTable(r.Curve), sendTable(r.Messages))
	}
	for _, s := range []struct {
		what string
		of   *reproduce.Summary
	}{
		{"environments A to D", r.Summary},
		{"of these, barriers and sums, which no parameter was fitted to", r.Checks},
		{"environments E and F, predicted before the figures were known", r.Predicted},
		{"the same with this model", r.Blind},
	} {
		if e := s.of; e != nil {
			text += fmt.Sprintf("%s: mean |error| %.1f %%, worst %.1f %%, of %d figures\n", s.what, e.Mean*100, e.Worst*100, e.Rows)
		}
	}
	var reasons []string // why the summaries leave out rows
	for _, row := range r.Rows {
		if row.Left != "" {
			reasons = base.Union(reasons, "* "+row.Left+"\n")
		}
	}
	text += strings.Join(reasons, "")
	return fmt.Sprintf("%smeans of %d rounds, seed %d\n", text, r.Rounds, r.Seed)
}

func errorTable(t *reproduce.Table) string {
	header, columns := table.Row{"env", "quantity", "paper", "model", "error"}, []int{3, 4, 5}
	predicted := slices.ContainsFunc(t.Rows, func(r reproduce.Row) bool { return r.Predicted != nil })
	if predicted {
		header, columns = append(header, "predicted before it was known"), append(columns, 6)
	}
	out := base.NewTable(header, columns...)
	for i := range t.Rows {
		r := &t.Rows[i]
		figure := func(x float64) string {
			switch {
			case strings.HasSuffix(r.Quantity, "_us"):
				return fmt.Sprintf("%.2f", x)
			case strings.HasSuffix(r.Quantity, "_bytes"):
				return fmt.Sprintf("%.0f", x)
			}
			return fmt.Sprintf("%.1f", x)
		}
		row := table.Row{r.Env, r.Quantity, "-", figure(r.Model), ""}
		if r.Paper != nil {
			row[2], row[4] = figure(*r.Paper), fmt.Sprintf("%+.1f %%", *r.Error*100)
			if r.Left != "" {
				row[4] = "* " + row[4].(string)
			}
		}
		if r.Predicted != nil {
			row = append(row, figure(*r.Predicted))
		}
		if i > 0 && t.Rows[i-1].Env != r.Env {
			out.AppendSeparator()
		}
		out.AppendRow(row)
	}
	return out.Render()
}

func curveTable(c *reproduce.Curve) string {
	out := base.NewTable(table.Row{"bytes", "BOTF us", "PUSH us", "BOTF MB/s", "PUSH MB/s"}, 1, 2, 3, 4, 5)
	for _, p := range c.Points {
		if p.Bytes%256 == 0 || p.Bytes == 64 || p.Bytes%464 <= 1 {
			out.AppendRow(table.Row{p.Bytes, fmt.Sprintf("%.3f", p.BOTFns/1000), fmt.Sprintf("%.3f", p.PUSHns/1000),
				fmt.Sprintf("%.1f", p.BOTF()), fmt.Sprintf("%.1f", p.PUSH())})
		}
	}
	return fmt.Sprintf("LLCM to LLCM until the ACK is seen, env %s\n\n%s\n\n"+
		"BOTF is more than %.0f %% ahead up to %d bytes, PUSH from %d bytes on; in between they are level",
		c.Env, out.Render(), reproduce.Level*100, c.BOTFAhead, c.PUSHAhead)
}

func sendTable(list []reproduce.Message) string {
	out := base.NewTable(table.Row{"bytes", "one way us", "MB/s"}, 1, 2, 3)
	for _, m := range list {
		out.AppendRow(table.Row{m.Bytes, fmt.Sprintf("%.2f", m.Ns/1000), fmt.Sprintf("%.1f", m.Rate())})
	}
	return "DIMM_Send to DIMM_Recv, half a round trip\n\n" + out.Render() +
		"\n\nup to 464 bytes go by BOTF to the LLCM, which the receiving host reads word by word; larger messages go to a bank, which it reads like memory\n" +
		"the paper's comparison with MPICH on Myrinet is a graph without numbers, in which DIMM_Send is ahead at every size: there are none to print here"
}

func curveFigure(c *reproduce.Curve) *figure.Figure {
	var botf, push []figure.Point
	x := figure.Axis{Label: "message size (bytes)"}
	y := figure.Axis{Label: "bandwidth (MB/s)"}
	for _, p := range c.Points {
		size := float64(p.Bytes)
		botf, push = append(botf, figure.Point{X: size, Y: p.BOTF()}), append(push, figure.Point{X: size, Y: p.PUSH()})
		x.High, y.High = max(x.High, size), max(y.High, p.BOTF(), p.PUSH())
	}
	const block = 464 // payload of a BOTF packet, in bytes
	x.Ticks, y.Ticks = figure.Ticks(block, x.High), figure.Ticks(50, y.High)
	chart := figure.Chart{
		Title: "Bandwidth until the ACK, simulated DIMMnet-1 (env " + c.Env + ")", X: x, Y: y,
		Lines: []figure.Line{
			{Key: figure.Key{Name: "BOTF", Color: figure.Red, Mark: figure.Stroke}, Points: botf},
			{Key: figure.Key{Name: "PUSH", Color: figure.Blue, Mark: figure.Stroke}, Points: push},
		},
	}
	return chart.Figure(680, 340, chart.Keys()...)
}
