package anatomy

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/figure"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Command returns the command fagus lab anatomy.
func Command() *cli.Command {
	return &cli.Command{
		Name: "anatomy", Usage: "show the stages of one AOTF store, in nanoseconds",
		UsageText: `fagus lab anatomy [flags]

fagus lab anatomy                          two hosts back to back, environment D
fagus lab anatomy --env design             the NIC at 133 MHz
fagus lab anatomy --env A --svg aotf.svg   a picture, too`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "env", Value: "D", Usage: "machine: " + strings.Join(presets.Envs(), ", ")},
			&cli.StringFlag{Name: "svg", Usage: "draw it to `FILE` (.svg)"},
			base.JSONFlag(schema),
		},
		Action: base.NoArgs(showStages),
	}
}

func showStages(c *cli.Context) error {
	if err := base.CheckWritable(c, "svg", figure.CheckName); err != nil {
		return err
	}
	preset, err := presets.Load(c.String("env"))
	if err != nil {
		return usage.Wrap(err)
	}
	stages := preset.Anatomy()
	if path := c.String("svg"); path != "" {
		if err := drawAnatomy(preset.Name, stages).Save(path); err != nil {
			return err
		}
	}
	program, oneWay := preset.Host.Program, presets.Total(stages)
	wiring := "back to back"
	if !preset.Direct {
		wiring = "by a " + preset.Switch.Name + " switch"
	}
	return base.Printf(c, newReport(&preset, stages), "one AOTF store in environment %s, %s, until the peer's poll has seen it\n\n%s\n\n"+
		"within the two NICs: %s ns\nwith the test program, %s ns before the next store: %s ns, half of a measured round trip\n",
		preset.Name, wiring, anatomyTable(stages), nsText(preset.NICLatency()), nsText(program), nsText(oneWay+program))
}

const schema = "fagus.anatomy/v1"

type report struct {
	Schema       string  `json:"schema"`
	Env          string  `json:"env"`
	Stages       []stage `json:"stages"`
	OneWayNs     float64 `json:"one_way_ns"`
	NICLatencyNs float64 `json:"nic_latency_ns"`
	ProgramNs    float64 `json:"program_ns"` // the test program's own time before its next store
}

type stage struct {
	Name string  `json:"name"`
	Ns   float64 `json:"ns"`
}

func newReport(p *presets.Preset, stages []presets.Stage) *report {
	ns := func(t dimmnet.Time) float64 { return float64(t) / float64(dimmnet.Nanosecond) }
	return &report{
		Schema: schema, Env: p.Name, Stages: base.Map(stages, func(s presets.Stage) stage { return stage{s.Name, ns(s.Time)} }),
		OneWayNs: ns(presets.Total(stages)), NICLatencyNs: ns(p.NICLatency()), ProgramNs: ns(p.Host.Program),
	}
}

func anatomyTable(stages []presets.Stage) string {
	const width = 48
	t := base.NewTable(table.Row{"stage", "ns", "from", "to", ""}, 2, 3, 4)
	end := presets.Total(stages)
	var at dimmnet.Time
	for _, s := range stages {
		from, to := int(at*width/end), int((at+s.Time)*width/end)
		bar := strings.Repeat(" ", from) + strings.Repeat("█", max(1, to-from))
		t.AppendRow(table.Row{s.Name, nsText(s.Time), nsText(at), nsText(at + s.Time), bar})
		at += s.Time
	}
	t.AppendFooter(table.Row{"one way", nsText(end)})
	return t.Render()
}

func nsText(t dimmnet.Time) string {
	return fmt.Sprintf("%.1f", float64(t)/float64(dimmnet.Nanosecond))
}

func drawAnatomy(env string, stages []presets.Stage) *figure.Figure {
	const row, left, right, top, bottom, width = 18, 175, 60, 30, 12, 640
	end := presets.Total(stages)
	f := figure.New(width, float64(top+row*len(stages)+bottom))
	f.Text(8, top/2, 11, figure.Left, fmt.Sprintf("One AOTF in environment %s: %s ns one way, poll included (green: the hosts, blue: NICs and link)", env, nsText(end)))
	x := func(t dimmnet.Time) float64 { return left + (width-left-right)*float64(t)/float64(end) }
	var at dimmnet.Time
	for i, s := range stages {
		y := top + row*(float64(i)+0.5)
		color := figure.Blue // of NICs and the link
		if i < 2 || i >= len(stages)-2 {
			color = figure.Green // of hosts
		}
		f.Rect(x(at), y-0.36*row, x(at+s.Time)-x(at), 0.72*row, color)
		f.Text(left-6, y, 9, figure.Right, s.Name)
		at += s.Time
		f.Text(x(at)+4, y, 9, figure.Left, nsText(s.Time)+" ns")
	}
	return f
}
