package sim

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
	"github.com/fagus-dsm/fagus/dimmnet/sim/network"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

// What the parts of the simulator tell users of a network.
type (
	// UDP is the network of UDP-Fagus: the chances of what happens to a datagram.
	UDP = network.UDP
	// UDPCounts counts the datagrams of a run.
	UDPCounts = network.UDPCounts
	// Refused describes a packet that a NIC refused.
	Refused = network.Refused
	// Record is one entry of a run's trace.
	Record = event.Record
	// Passage is the way of a packet through a part of the network.
	Passage = network.Passage
)

// Config describes a simulated network. The zero value is useful.
type Config struct {
	// Env is the name of a preset, one of presets.Envs. The default is fagus2.
	Env string
	// Preset, if not nil, is used instead of Env. Programs get one from presets.Load
	// and change it.
	Preset *presets.Preset
	// Seed, if not 0, adds random delays to packets and to Spend. It seeds their generator.
	Seed uint64
	// MaxDelay bounds each random delay. The default is 100 us.
	MaxDelay dimmnet.Time
	// Limit bounds the virtual time of a run. The default is 100 days.
	Limit dimmnet.Time
	// Spin runs every polling pass, even those without progress: same result, but slower.
	Spin bool
	// ExternalLoop sends a node's packets to itself over its cable, not just through the SWIF.
	ExternalLoop bool
	// UDP, if not nil, replaces the NICs by UDP over the Ethernet that joins the hosts of Env:
	// UDP-Fagus. Spin and ExternalLoop then have no effect.
	UDP *UDP
	// Faults lists the pauses, crashes, partitions and damage in a run (not UDP's losses).
	Faults []Fault
	// HostCost says what the work of the hosts costs besides their accesses to the NIC:
	// a text for presets.Preset.ScaleHost, such as "off" or "miss=2,wake=0.5".
	HostCost string
	// Memory bounds the memory of a run, in bytes, if the system says how much the process has. The
	// default is 15/16 of what is available when the run begins. A run that takes more fails,
	// before the process swaps, or the kernel ends it.
	Memory int64
	// Trace, if not nil, is called with every record of the run, in order.
	Trace func(Record)
	// Passed, if not nil, is told of every passage of a packet through a NIC, a link or a port of a
	// switch, and how long it waited there. It changes nothing in the run. Of one part they are not
	// always in the order of time.
	Passed func(Passage)
}

const (
	defaultMaxDelay = 100 * dimmnet.Microsecond
	defaultLimit    = 100 * 24 * 3600 * dimmnet.Second
	maxTime         = defaultLimit // just below the largest Time
)

// Network runs programs in virtual time, one Run at a time.
type Network struct {
	cfg    Config
	preset presets.Preset
	result Result
}

// New checks cfg and loads its preset.
func New(cfg Config) (*Network, error) {
	if cfg.Env == "" {
		cfg.Env = presets.Default
	}
	if cfg.MaxDelay == 0 {
		cfg.MaxDelay = defaultMaxDelay
	}
	if cfg.Limit == 0 {
		cfg.Limit = defaultLimit
	}
	if cfg.Memory < 0 {
		return nil, fmt.Errorf("sim: Memory %d: want 0 or more bytes", cfg.Memory)
	}
	if cfg.MaxDelay < 0 || cfg.Limit < 0 || cfg.MaxDelay > maxTime || cfg.Limit > maxTime {
		return nil, fmt.Errorf("sim: MaxDelay %v and Limit %v: each must be 0 to %v", cfg.MaxDelay, cfg.Limit, maxTime)
	}
	if err := cfg.checkFaults(); err != nil {
		return nil, err
	}
	cfg.Faults = slices.Clone(cfg.Faults)
	w := &Network{cfg: cfg}
	var err error
	if cfg.Preset != nil {
		w.preset, err = *cfg.Preset, cfg.Preset.Check()
	} else {
		w.preset, err = presets.Load(cfg.Env)
	}
	if err != nil {
		return nil, err
	}
	if err := w.preset.ScaleHost(cfg.HostCost); err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	if cfg.UDP != nil {
		if err := cfg.UDP.Check(); err != nil {
			return nil, err
		}
		faults := *cfg.UDP
		w.cfg.UDP, w.preset.Limits = &faults, w.preset.UDP.Limits
		return w, nil
	}
	w.preset.Limits.Multicast = 0
	if w.preset.Switch.Multicast {
		w.preset.Limits.Multicast = w.preset.Switch.Ports - 1
	}
	return w, nil
}

// Clock returns dimmnet.Virtual.
func (*Network) Clock() dimmnet.Clock { return dimmnet.Virtual }

// Preset returns the parameters of the network's environment.
func (w *Network) Preset() presets.Preset { return w.preset }

// Result returns the result of the last Run.
func (w *Network) Result() Result { return w.result }
