//go:build !linux

package jobs

import (
	"errors"

	"github.com/urfave/cli/v2"
)

// Command returns the command fagus lab jobs, which needs Linux.
func Command() *cli.Command {
	return &cli.Command{
		Name: "jobs", Usage: "run many short jobs of real processes, and count what they leave (Linux)",
		Action: func(*cli.Context) error { return errors.New("fagus lab jobs needs Linux") },
	}
}
