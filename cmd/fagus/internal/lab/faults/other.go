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
