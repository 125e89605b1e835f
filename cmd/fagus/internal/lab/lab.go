package lab

import (
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/lab/anatomy"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/lab/colony"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/lab/faults"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/lab/jobs"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/lab/reproduce"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/lab/results"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/lab/swarm"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/lab/sweep"
)

// Command returns the command group fagus lab.
func Command() *cli.Command {
	return &cli.Command{
		Name: "lab", Usage: "the laboratory: reproduce the papers, sweep parameters, search for errors",
		UsageText: "fagus lab EXPERIMENT [flags]\n\nfagus lab reproduce             the papers' figures, the model's, and the error\nfagus help lab sweep barrier    what a sweep measures",
		ArgsUsage: "EXPERIMENT",
		Subcommands: []*cli.Command{
			reproduce.Command(), sweep.Command(), anatomy.Command(), swarm.Command(), faults.Command(), faults.Campaign(), jobs.Command(),
			results.Command(), colony.Command(),
		},
	}
}
