package runflags

import (
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/dimmnet2"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
	"github.com/fagus-dsm/fagus/fagus/trace"
)

// Simulation is a network in virtual time.
type Simulation interface {
	dimmnet.Network
	Result() sim.Result
	Preset() presets.Preset
}

// EnvFlag returns the flag --env, which names a simulated machine.
func EnvFlag(category, what string) cli.Flag {
	return &cli.StringFlag{Name: "env", Category: category, Value: presets.Default, Usage: what + ": " + strings.Join(presets.Envs(), ", ")}
}

// HostCostFlag returns the flag --host-cost.
func HostCostFlag(category string) cli.Flag {
	return &cli.StringFlag{Name: "host-cost", Category: category, Value: "on", Usage: "what copies, lists, wake-ups and the memory bus of a simulated machine cost: on, off (only the network and the program cost time), or `FACTORS` of the model's costs, such as miss=2,wake=0.5 (docs/lab/simulator.md)"}
}

// ReadHostCost reads the flag --host-cost, for Config.HostCost.
func ReadHostCost(c *cli.Context) string {
	if cost := c.String("host-cost"); cost != "on" {
		return cost
	}
	return ""
}

// HostCostText returns ", host cost off" or the like, and "" for the model's costs.
func HostCostText(cost string) string {
	if cost == "" {
		return ""
	}
	return ", host cost " + cost
}

func (cfg *Config) simulation() (s Simulation, err error) {
	c := sim.Config{Env: cfg.Env, Seed: cfg.Seed, HostCost: cfg.HostCost}
	if cfg.Network.Datagrams {
		udp := sim.UDP(cfg.Faults)
		c.UDP = &udp
	}
	if t := cfg.Trace; t != nil {
		names := make(map[[2]int]string)
		c.Passed = func(p sim.Passage) {
			name, known := names[[2]int{int(p.Part), p.Of}]
			if !known {
				name = p.Part.Name(p.Of)
				names[[2]int{int(p.Part), p.Of}] = name
			}
			t.Pass(name, p.What, trace.Packet{Queued: p.Queued, From: p.From, To: p.To, Landed: p.Landed, Bytes: uint32(p.Bytes), Src: p.Src, Dst: p.Dst})
		}
	}
	if cfg.Network.Name == DIMMnet2 {
		s, err = dimmnet2.New(c, dimmnet2.Default())
	} else {
		s, err = sim.New(c)
	}
	if err != nil {
		return nil, usage.Wrap(err)
	}
	return s, nil
}
