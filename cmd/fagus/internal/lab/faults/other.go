//go:build !linux

package faults

import (
	"errors"

	"github.com/urfave/cli/v2"
)

// Command returns the command fagus lab faults, which needs Linux.
func Command() *cli.Command {
	return &cli.Command{
		Name: "faults", Usage: "strike jobs of real processes, and see what is reported, and when (Linux)",
		Action: func(*cli.Context) error { return errors.New("fagus lab faults needs Linux") },
	}
}

// Campaign returns the command fagus lab campaign, which needs Linux.
func Campaign() *cli.Command {
	return &cli.Command{
		Name: "campaign", Usage: "run random programs on live networks under faults, and verify every run (Linux)",
		Action: func(*cli.Context) error { return errors.New("fagus lab campaign needs Linux") },
	}
}
