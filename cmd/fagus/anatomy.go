package main

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

func anatomyCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	return &cli.Command{
		Name:  "anatomy",
		Usage: "show one AOTF store, stage by stage, with its nanoseconds",
		UsageText: "fagus anatomy [flags]\n\n" +
			"fagus anatomy                          two hosts back to back, environment D\n" +
			"fagus anatomy --env design             the NIC at 133 MHz\n" +
			"fagus anatomy --env A --svg aotf.svg   a picture, too",
		HideHelpCommand: true,
		OnUsageError:    usage,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "env", Value: "D", Usage: "machine: " + strings.Join(sim.Envs(), ", ")},
			&cli.StringFlag{Name: "svg", Usage: "draw it to `FILE` (.svg, .png or .pdf)"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON document, schema " + anatomySchema},
		},
		Action: runAnatomy,
	}
}

func runAnatomy(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("unexpected argument %q; see 'fagus anatomy --help'", c.Args().First())
	}
	if err := checkWritable(c, "svg", checkFigureName); err != nil {
		return err
	}
	preset, err := sim.LoadPreset(c.String("env"))
	if err != nil {
		return &usageError{err}
	}
	stages := preset.Anatomy()
	if path := c.String("svg"); path != "" {
		if err := drawAnatomy(path, preset.Name, stages); err != nil {
			return err
		}
	}
	program, oneWay := preset.Host.Program, totalTime(stages)
	if c.Bool("json") {
		return printJSON(c.App.Writer, newAnatomyReport(&preset, stages))
	}
	wiring := "back to back"
	if !preset.Direct {
		wiring = "by a " + preset.Switch.Name + " switch"
	}
	_, err = fmt.Fprintf(c.App.Writer, "one AOTF store in environment %s, %s, until the peer's poll has seen it\n\n%s\n\n"+
		"within the two NICs: %s ns\nwith the test program, %s ns before the next store: %s ns, half of a measured round trip\n",
		preset.Name, wiring, anatomyTable(stages), nsText(preset.NICLatency()), nsText(program), nsText(oneWay+program))
	return err
}

const anatomySchema = "fagus.anatomy/v1"

// anatomyReport is what fagus anatomy prints as JSON.
type anatomyReport struct {
	Schema       string         `json:"schema"`
	Env          string         `json:"env"`
	Stages       []anatomyStage `json:"stages"`
	OneWayNs     float64        `json:"one_way_ns"`
	NICLatencyNs float64        `json:"nic_latency_ns"`
	ProgramNs    float64        `json:"program_ns"` // of a test program, before the next store
}

type anatomyStage struct {
	Name string  `json:"name"`
	Ns   float64 `json:"ns"`
}

func newAnatomyReport(p *sim.Preset, stages []sim.Stage) *anatomyReport {
	ns := func(t dimmnet.Time) float64 { return float64(t) / float64(dimmnet.Nanosecond) }
	r := &anatomyReport{
		Schema: anatomySchema, Env: p.Name,
		OneWayNs: ns(totalTime(stages)), NICLatencyNs: ns(p.NICLatency()), ProgramNs: ns(p.Host.Program),
	}
	for _, s := range stages {
		r.Stages = append(r.Stages, anatomyStage{s.Name, ns(s.Time)})
	}
	return r
}

// anatomyTable has a row a stage, and a bar as long as it.
func anatomyTable(stages []sim.Stage) string {
	const width = 48
	t := newTable()
	t.AppendHeader(table.Row{"stage", "ns", "from", "to", ""})
	t.SetColumnConfigs(rightAligned(2, 3, 4))
	end := totalTime(stages)
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

func totalTime(stages []sim.Stage) (t dimmnet.Time) {
	for _, s := range stages {
		t += s.Time
	}
	return t
}

func nsText(t dimmnet.Time) string {
	return fmt.Sprintf("%.1f", float64(t)/float64(dimmnet.Nanosecond))
}

// drawAnatomy draws the stages as a staircase.
func drawAnatomy(path, env string, stages []sim.Stage) error {
	const row, left, right, top, bottom, width = 18, 175, 60, 30, 12, 640
	height := float64(top + row*len(stages) + bottom)
	end := totalTime(stages)
	return saveFigure(path, width, height, func(c draw.Canvas) {
		style := func(size float64, x text.XAlignment) text.Style {
			return text.Style{Color: color.Black, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Serif"}, vg.Points(size)),
				XAlign: x, YAlign: text.YCenter, Handler: text.Plain{Fonts: font.DefaultCache}}
		}
		c.FillText(style(11, text.XLeft), vg.Point{X: vg.Points(8), Y: vg.Points(height - top/2)},
			fmt.Sprintf("One AOTF in environment %s: %s ns one way, poll included (green: the hosts, blue: NICs and link)", env, nsText(end)))
		x := func(t dimmnet.Time) vg.Length {
			return vg.Points(left + (width-left-right)*float64(t)/float64(end))
		}
		var at dimmnet.Time
		for i, s := range stages {
			y := vg.Points(height - top - row*(float64(i)+0.5))
			fill(c, stageColor(i, len(stages)), vg.Point{X: x(at), Y: y - vg.Points(row*0.36)}, vg.Point{X: x(at + s.Time), Y: y + vg.Points(row*0.36)})
			c.FillText(style(9, text.XRight), vg.Point{X: vg.Points(left - 6), Y: y}, s.Name)
			c.FillText(style(9, text.XLeft), vg.Point{X: x(at+s.Time) + vg.Points(4), Y: y}, nsText(s.Time)+" ns")
			at += s.Time
		}
	})
}

// stageColor tells the hosts' stages (the first two and the last two) from those
// of the NICs and the link.
func stageColor(i, n int) color.Color {
	if i < 2 || i >= n-2 {
		return color.RGBA{R: 0x4c, G: 0x9f, B: 0x70, A: 0xff}
	}
	return color.RGBA{R: 0x2f, G: 0x6d, B: 0xb5, A: 0xff}
}
