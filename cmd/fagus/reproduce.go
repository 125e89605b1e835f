package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/reproduce"
	"github.com/fagus-dsm/fagus/dimmnet/colony"
)

const reproduceSchema = "fagus.reproduce/v1"

// experiment is a part of fagus reproduce.
type experiment struct {
	name  string
	about string
	run   func(context.Context, reproduce.Config) (*reproduce.Table, error)
	steps int // measurements, for the progress bar
}

func experiments() []experiment {
	return []experiment{
		{"aotf", "round trips and loops of one store", reproduce.AOTF, 19},
		{"barrier", "barrier of two nodes", reproduce.Barrier, 16},
		{"sum", "global sum over two nodes", reproduce.Sum, 28},
		{"sendrecv", "stores by a switch; BOTF against PUSH", reproduce.SendRecv, 13},
		{"colony", "the Computer Colony's NIC: reads and writes in clocks", reproduce.Colony, colony.ReproduceSteps},
		{"mpi", "DIMMnet-2: commands, eager messages and rendezvous", reproduce.MPI, 5},
	}
}

// reproduceReport is what fagus reproduce prints: one JSON document, or tables.
type reproduceReport struct {
	Schema string `json:"schema"`
	Seed   uint64 `json:"seed"`
	Rounds int    `json:"rounds"`
	// Summary is of the environments A to D, Checks of those of its rows that chose
	// no parameter: barriers and sums. Both are null if no such row was measured.
	Summary *reproduceErrors `json:"summary_a_to_d"`
	Checks  *reproduceErrors `json:"checks_a_to_d"`
	Rows    []reproduce.Row  `json:"rows"`
	Curve   *reproduce.Curve `json:"bandwidth,omitempty"`
	// Messages are those of DIMM_Send.
	Messages []reproduce.Message `json:"dimm_send,omitempty"`

	tables []*reproduce.Table
}

// reproduceErrors sums up the rows of the environments A to D.
type reproduceErrors struct {
	Rows  int     `json:"rows"`
	Mean  float64 `json:"mean_error"`
	Worst float64 `json:"worst_error"`
}

func reproduceCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	text := "fagus reproduce [EXPERIMENT] [flags]\n\nfagus reproduce            all of them\n"
	var commands []*cli.Command
	for _, e := range experiments() {
		text += fmt.Sprintf("fagus reproduce %-10s %s\n", e.name, e.about)
		commands = append(commands, &cli.Command{
			Name:            e.name,
			Usage:           e.about,
			UsageText:       "fagus reproduce " + e.name + " [flags]",
			HideHelpCommand: true,
			OnUsageError:    usage,
			Flags:           reproduceFlags(),
			Action:          func(c *cli.Context) error { return runReproduce(c, []experiment{e}) },
		})
	}
	all := func(c *cli.Context) error { return runReproduce(c, experiments()) }
	commands = append(commands, &cli.Command{
		Name: "all", Usage: "all of them", HideHelpCommand: true, OnUsageError: usage, Flags: reproduceFlags(), Action: all,
	})
	return &cli.Command{
		Name:  "reproduce",
		Usage: "measure what the papers measured, and lay their figures beside it",
		UsageText: text +
			"fagus reproduce sendrecv --figure bandwidth.svg\n" +
			"fagus reproduce --json | jq '.rows[] | select(.env == \"E\")'",
		HideHelpCommand: true,
		OnUsageError:    usage,
		Flags:           reproduceFlags(),
		Action:          all,
		Subcommands:     commands,
	}
}

func reproduceFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "rounds", Value: 2000, Usage: "mean of so many `ROUNDS`"},
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "the phases of polls come from `SEED`"},
		&cli.StringFlag{Name: "figure", Usage: "draw the bandwidth of BOTF and PUSH (sendrecv) to `FILE` (.svg, .png or .pdf)"},
		&cli.BoolFlag{Name: "json", Usage: "print one JSON document, schema " + reproduceSchema},
	}
}

// where is the context in which a flag was given: before or after the name of an
// experiment.
func where(c *cli.Context, flag string) *cli.Context {
	for _, context := range c.Lineage() {
		if context.IsSet(flag) {
			return context
		}
	}
	return c
}

// checkRounds reports what no measurement can be the mean of.
func checkRounds(rounds int, seed uint64) error {
	if rounds < 1 {
		return usagef("--rounds %d: want at least 1", rounds)
	}
	if seed == 0 {
		return usagef("--seed 0: want another, which the phases of polls come from")
	}
	return nil
}

func runReproduce(c *cli.Context, list []experiment) error {
	if c.Args().Present() {
		return usagef("no experiment %q here: name one, or none for all; see 'fagus reproduce --help'", c.Args().First())
	}
	r := &reproduceReport{Schema: reproduceSchema, Seed: where(c, "seed").Uint64("seed"), Rounds: where(c, "rounds").Int("rounds")}
	if err := checkRounds(r.Rounds, r.Seed); err != nil {
		return err
	}
	withFigure := where(c, "figure")
	figure := withFigure.String("figure")
	if err := checkWritable(withFigure, "figure", checkFigureName); err != nil {
		return err
	}
	if figure != "" && !slices.ContainsFunc(list, func(e experiment) bool { return e.name == "sendrecv" }) {
		return usagef("--figure draws what sendrecv measures: use it with 'fagus reproduce sendrecv'")
	}
	if err := r.measure(c, list); err != nil {
		return err
	}
	if figure != "" {
		if err := drawCurve(figure, r.Curve); err != nil {
			return err
		}
	}
	if where(c, "json").Bool("json") {
		return printJSON(c.App.Writer, r)
	}
	return r.print(c.App.Writer)
}

// measure runs the experiments.
func (r *reproduceReport) measure(c *cli.Context, list []experiment) error {
	steps := 0
	for _, e := range list {
		steps += e.steps
	}
	bar := newProgress(c.App.ErrWriter, "measurements", steps)
	defer bar.stop()
	cfg := reproduce.Config{Rounds: r.Rounds, Seed: r.Seed, Progress: func() { bar.add(1) }}
	all := reproduce.Table{Rows: []reproduce.Row{}}
	for _, e := range list {
		t, err := e.run(c.Context, cfg)
		if err != nil {
			return err
		}
		r.tables = append(r.tables, t)
		all.Rows = append(all.Rows, t.Rows...)
		if e.name != "sendrecv" {
			continue
		}
		if r.Curve, err = reproduce.Bandwidth(c.Context, cfg); err != nil {
			return err
		}
		if r.Messages, err = reproduce.Messages(c.Context, cfg); err != nil {
			return err
		}
	}
	r.Rows = all.Rows
	r.Summary = summarize(&all, reproduce.Fitted)
	r.Checks = summarize(&all, func(row *reproduce.Row) bool { return reproduce.Fitted(row) && row.Table != "aotf" })
	return nil
}

// summarize is the mean and the worst error of the rows that interest; nil if there
// are none.
func summarize(t *reproduce.Table, interest func(*reproduce.Row) bool) *reproduceErrors {
	mean, worst, rows := t.Summary(interest)
	if rows == 0 {
		return nil
	}
	return &reproduceErrors{Rows: rows, Mean: mean, Worst: worst}
}

func (r *reproduceReport) print(w io.Writer) error {
	for _, t := range r.tables {
		if _, err := fmt.Fprintf(w, "%s: %s\n\n%s\n\n", t.Name, t.Title, errorTable(t)); err != nil {
			return err
		}
	}
	if r.Curve != nil {
		if _, err := fmt.Fprintf(w, "%s\n\n%s\n\n", curveTable(r.Curve), sendTable(r.Messages)); err != nil {
			return err
		}
	}
	for _, s := range []struct {
		what   string
		errors *reproduceErrors
	}{
		{"environments A to D", r.Summary},
		{"of these, barriers and sums, which chose no parameter", r.Checks},
	} {
		if e := s.errors; e != nil {
			if _, err := fmt.Fprintf(w, "%s: mean |error| %.1f %%, worst %.1f %%, of %d figures\n", s.what, e.Mean*100, e.Worst*100, e.Rows); err != nil {
				return err
			}
		}
	}
	note := ""
	for _, row := range r.Rows {
		if row.Left != "" {
			note = "; * " + row.Left
		}
	}
	_, err := fmt.Fprintf(w, "means of %d rounds, seed %d%s\n", r.Rounds, r.Seed, note)
	return err
}

// errorTable is paper | model | error.
func errorTable(t *reproduce.Table) string {
	out := newTable()
	out.AppendHeader(table.Row{"env", "quantity", "paper", "model", "error"})
	out.SetColumnConfigs(rightAligned(3, 4, 5))
	for i := range t.Rows {
		r := &t.Rows[i]
		figure := func(x float64) string {
			if strings.HasSuffix(r.Quantity, "_us") {
				return fmt.Sprintf("%.2f", x)
			}
			return fmt.Sprintf("%.1f", x)
		}
		row := table.Row{r.Env, r.Quantity, "-", figure(r.Model), ""}
		switch {
		case r.Paper != nil:
			row[2], row[4] = figure(*r.Paper), fmt.Sprintf("%+.1f %%", *r.Error*100)
			if r.Left != "" {
				row[4] = "* " + row[4].(string)
			}
		case r.Uncertainty != nil:
			row[4] = fmt.Sprintf("expect within %.0f %%", *r.Uncertainty*100)
		}
		if i > 0 && t.Rows[i-1].Env != r.Env {
			out.AppendSeparator()
		}
		out.AppendRow(row)
	}
	return out.Render()
}

// curveTable shows some points of the curve.
func curveTable(c *reproduce.Curve) string {
	out := newTable()
	out.AppendHeader(table.Row{"bytes", "BOTF us", "PUSH us", "BOTF MB/s", "PUSH MB/s"})
	out.SetColumnConfigs(rightAligned(1, 2, 3, 4, 5))
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

// sendTable shows what DIMM_Send takes.
func sendTable(list []reproduce.Message) string {
	out := newTable()
	out.AppendHeader(table.Row{"bytes", "one way us", "MB/s"})
	out.SetColumnConfigs(rightAligned(1, 2, 3))
	for _, m := range list {
		out.AppendRow(table.Row{m.Bytes, fmt.Sprintf("%.2f", m.Ns/1000), fmt.Sprintf("%.1f", m.Rate())})
	}
	return "DIMM_Send to DIMM_Recv, half of there and back\n\n" + out.Render() +
		"\n\nup to 464 bytes by BOTF to the LLCM, which the receiving host reads word by word; a bank it reads like memory"
}
