// Package cluster declares the function of the real package that the rules know.
package cluster

import (
	"context"

	"github.com/fagus-dsm/fagus/fagus"
)

type Driver interface{ Driver() string }

func Run(ctx context.Context, cfg fagus.Config, program func(*fagus.Node) error, drivers ...Driver) (fagus.Report, error) {
	return fagus.Report{}, nil
}
