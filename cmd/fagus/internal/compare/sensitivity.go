package compare

import (
	"context"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/contest"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// sensitivityName is the flag that asks for the table of sensitivities.
const sensitivityName = "sensitivity"

func sensitivityFlag(category string) cli.Flag {
	return &cli.BoolFlag{Name: sensitivityName, Category: category, Usage: "judge the claims again with every cost of the simulated host halved and doubled, and print which verdicts change (matmul with its default sizes: a minute)"}
}

// sensitivity holds the verdicts, in the order of the claims, with one cost of the host changed.
type sensitivity struct {
	Cost     string    `json:"cost"`
	Factor   float64   `json:"factor"`
	Verdicts []verdict `json:"verdicts"`
}

// checkSensitivity returns an error if the comparison judges no claims by a model of a host.
func (e *sideBySide) checkSensitivity() error {
	roles := make(map[contest.Role]bool)
	for _, v := range e.Versions {
		roles[v.Role] = true
	}
	if !roles[contest.RolePhase] || !roles[contest.RoleThreaded] && !roles[contest.RolePolling] || e.Config.Nodes < 2 {
		return usage.Errorf("--%s is about claims: use it on 2 nodes or more, with D1-Fagus2 and D1-Fagus among the versions", sensitivityName)
	}
	if !e.Config.Network.Simulated || e.Config.HostCost == presets.HostCostOff {
		return usage.Errorf("--%s changes the costs of a simulated host: use it with --net dimmnet1, and not with --host-cost off", sensitivityName)
	}
	return nil
}

// otherFactors are the factors of a cost in the table.
func otherFactors() []float64 { return []float64{0.5, 2} }

// ofClaims returns the comparison of the versions that the claims are about.
func (e *sideBySide) ofClaims() *sideBySide {
	fewer, of := *e, *e.Contest
	fewer.Contest, of.Versions = &of, nil
	fewer.traces = make(map[string][]fagus.Stats) // those of e stay
	for _, v := range e.Versions {
		if v.Role != "" {
			of.Versions = append(of.Versions, v)
		}
	}
	return &fewer
}

// sensitivities repeats the comparison with every cost changed.
func (e *sideBySide) sensitivities(ctx context.Context) (list []sensitivity, err error) {
	costs := e.Config.HostCost
	if costs != "" {
		costs += ","
	}
	again := e.ofClaims()
	for _, cost := range presets.HostCostNames() {
		for _, factor := range otherFactors() {
			again.Config.HostCost = fmt.Sprintf("%s%s=%g", costs, cost, factor)
			c, err := again.run(ctx)
			if err != nil {
				return nil, err
			}
			list = append(list, sensitivity{cost, factor, base.Map(c.Claims, func(c claim) verdict { return c.Verdict })})
		}
	}
	return list, nil
}

// sensitivityText returns the table of sensitivities. A dot is the verdict of the model's costs.
func (c *comparison) sensitivityText() string {
	header := table.Row{"cost", "factor"}
	for i := range c.Claims {
		header = append(header, fmt.Sprintf("claim %d", i+1))
	}
	t := base.NewTable(header, 2)
	for _, s := range c.Sensitivity {
		row := table.Row{s.Cost, s.Factor}
		for i, v := range s.Verdicts {
			cell := string(v)
			if v == c.Claims[i].Verdict {
				cell = "·"
			}
			row = append(row, cell)
		}
		t.AppendRow(row)
	}
	return strings.Join([]string{"", "Verdicts with one cost of the host changed; a dot: as above.", "", t.Render(), ""}, "\n")
}
