package sweep

import (
	"cmp"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func placementCommand() *cli.Command {
	return &cli.Command{
		Name: "placement", Usage: "programs on shm, in both modes, with each placement of the arrays", ArgsUsage: "[PROGRAM ...]",
		UsageText: `fagus lab sweep placement [flags] [PROGRAM ...]

fagus lab sweep placement                                      matmul, sor and radix
fagus lab sweep placement --nodes 4 --repeat 9 "matmul --n 1024"   a program and its flags are one argument`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "nodes", Value: "2", Usage: "number of `NODES`"},
			&cli.IntFlag{Name: "repeat", Value: 5, Usage: "medians of `N` runs"},
			&cli.DurationFlag{Name: "limit", Value: time.Minute, Usage: "give up a run after `TIME`"},
			base.JSONFlag(schema),
		},
		Action: sweepPlacement,
	}
}

func sweepPlacement(c *cli.Context) error {
	s := experiment.Study{
		Programs: c.Args().Slice(), Common: "--net shm --nodes " + c.String("nodes"), Repeat: c.Int("repeat"), By: experiment.Fagus{Limit: c.Duration("limit")},
		Axes: []experiment.Axis{
			{Flag: "--mode", Values: []string{fagus.Phase.String(), fagus.Threaded.String()}},
			{Flag: "--placement", Values: []string{fagus.PlaceAuto.String(), fagus.PlaceShared.String(), fagus.PlacePrivate.String()}},
		},
	}
	if len(s.Programs) == 0 {
		s.Programs = []string{"matmul", "sor", "radix"}
	}
	if s.Repeat < 1 || s.By.Limit <= 0 {
		return usage.Errorf("--repeat %d, --limit %v: want at least 1, and a time above 0", s.Repeat, s.By.Limit)
	}
	bar := base.NewProgress(c.App.ErrWriter, "runs", s.Size())
	err := s.Run(c.Context, func() { bar.Add(1) })
	bar.Stop()
	if err = cmp.Or(err, s.Impossible()); err != nil {
		return err
	}
	document := struct {
		Schema string `json:"schema"`
		experiment.Study
	}{schema, s}
	err = base.Printf(c, document, "%s\n\n%s\n", s.Where(), s.Table())
	return cmp.Or(err, s.Failed())
}
