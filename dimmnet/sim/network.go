package sim

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

// Config describes a simulated network. The zero value is useful.
type Config struct {
	// Env is the name of a preset, one of Envs. The default is fagus2.
	Env string
	// Preset, if not nil, is used instead of Env. Programs get one from LoadPreset and change it.
	Preset *Preset
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
	// HostCost says what the work of the hosts costs besides their accesses to the NIC (HostCosts):
	// "on" or "" what the preset says; "off" nothing, except that misses of the program stay; and
	// "miss=2,wake=0.5" what the preset says times a factor. The names are those of dimmnet.Work,
	// and wake and bus.
	HostCost string
	// Memory bounds the memory of a run, in bytes, if the system says how much the process has. The
	// default is 15/16 of what is available when the run begins. A run that takes more fails,
	// before the process swaps, or the kernel ends it.
	Memory int64
	// Trace, if not nil, is called with every record of the run, in order.
	Trace func(Record)
}

const (
	defaultMaxDelay = 100 * dimmnet.Microsecond
	defaultLimit    = 100 * 24 * 3600 * dimmnet.Second
	maxTime         = defaultLimit // just below the largest Time
	// ackStages is the number of send stages that a packet made by the hardware passes. They are
	// the last stages of Send: size decision, send-buffer handshake and SWIF.
	ackStages = 3
	// grace is how long Run waits for a computing thread after its context has ended.
	// Commands end within two seconds of a signal.
	grace = 800 * time.Millisecond
)

// Network runs programs in virtual time, one Run at a time.
type Network struct {
	cfg    Config
	preset Preset
	result Result
}

// Result describes a run that has ended.
type Result struct {
	TraceHash uint64         // over every delivery and every change of state
	Events    uint64         // number of events that the kernel handled
	End       dimmnet.Time   // time of the last event, or of the last access to a node's NIC
	NIC       martini.Counts // sum over all NICs
	Refused   []Refused      // the first packets that were refused, at most 100
	UDP       UDPCounts      // on a UDP network
	Held      uint64         // packets that partitions have held
	Struck    []bool         // by index in Config.Faults: the fault affected the run
}

// Refused describes a packet that its receiver refused, or that its sender's NIC did not send.
type Refused struct {
	At       dimmnet.Time
	From, To dimmnet.Rank
	Reason   martini.Refusal
}

const maxRefused = 100

// New checks cfg and loads its preset.
func New(cfg Config) (*Network, error) {
	if cfg.Env == "" {
		cfg.Env = DefaultEnv
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
		w.preset, err = *cfg.Preset, cfg.Preset.check()
	} else {
		w.preset, err = LoadPreset(cfg.Env)
	}
	if err != nil {
		return nil, err
	}
	if err := w.preset.applyHostCost(cfg.HostCost); err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	if cfg.UDP != nil {
		if err := cfg.UDP.check(); err != nil {
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
func (w *Network) Preset() Preset { return w.preset }

// Result returns the result of the last Run.
func (w *Network) Result() Result { return w.result }

// Run starts body on nodes nodes; see [dimmnet.Network]. All threads run on one goroutine.
func (w *Network) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	if nodes < 1 || nodes > dimmnet.MaxNodes {
		return fmt.Errorf("sim: Run on %d nodes: want 1 to %d", nodes, dimmnet.MaxNodes)
	}
	if body == nil {
		return errors.New("sim: Run without a body")
	}
	for i := range w.cfg.Faults {
		if err := w.cfg.Faults[i].checkRanks(nodes); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return endedEarly(ctx)
	}
	b := newBudget(w.cfg.Memory, resident)
	if err := b.fits(nodes, nodeBytes); err != nil {
		return err
	}
	k := w.newKernel(ctx, nodes, body)
	if ctx.Err() != nil { // it may take long to make many nodes
		k.stopThreads()
		return endedEarly(ctx)
	}
	k.budget = b
	over := make(chan struct{})
	go func() {
		defer close(over) // also when the Goexit of a thread ends this goroutine
		defer k.stopThreads()
		k.run()
	}()
	select {
	case <-over:
	case <-ctx.Done():
		select {
		case <-over:
		case <-time.After(grace):
			return fmt.Errorf("sim: %w; rank %d did not return in time and is left running", dimmnet.ContextErr(ctx), k.running.Load())
		}
	}
	w.result = Result{TraceHash: k.trace.hash, Events: k.events, End: k.last, NIC: k.nicCounts(), Refused: k.refusals, UDP: k.counts, Held: k.heldPackets, Struck: k.struck}
	return k.cause
}

func endedEarly(ctx context.Context) error {
	return fmt.Errorf("sim: Run: the context has ended before the start: %w", dimmnet.ContextErr(ctx))
}

func (w *Network) newKernel(ctx context.Context, nodes int, body func(dimmnet.Host) error) *kernel {
	k := &kernel{
		ctx:         ctx,
		cfg:         w.cfg,
		preset:      w.preset,
		budget:      unbounded(),
		nodes:       make([]node, nodes),
		trace:       tracer{hash: mix(uint64(nodes)), table: crc32.MakeTable(crc32.Castagnoli), emit: w.cfg.Trace},
		sendTime:    total(w.preset.NIC.Send),
		receiveTime: total(w.preset.NIC.Receive),
		ackTime:     total(w.preset.NIC.Send[len(w.preset.NIC.Send)-ackStages:]),
	}
	nics := w.cfg.UDP == nil
	if nics && !w.preset.direct(nodes) {
		k.fabric = newFabric(nodes, w.preset.Switch.Ports)
	}
	k.flight = k.leastFlight()
	k.scheduleFaults()
	for i := range nodes {
		if i%boundCalls == 0 && ctx.Err() != nil {
			break
		}
		n := &k.nodes[i]
		n.memory = newLLCM(w.preset.Limits.LLCM)
		if nics {
			n.host, n.network = make(Memory), make(Memory)
			n.openPort(&w.preset.Limits)
		}
		n.cpus, n.notice.k = max(1, w.preset.Host.CPUs), k
		k.newThread(n, dimmnet.Rank(i), "", 0, body)
	}
	return k
}

func (k *kernel) refused(r Refused) {
	if len(k.refusals) < maxRefused {
		k.refusals = append(k.refusals, r)
	}
}

func (k *kernel) nicCounts() (sum martini.Counts) {
	for i := range k.nodes {
		sum = sum.Plus(k.nodes[i].chip.Counts())
	}
	return sum
}

// stopThreads unwinds the threads that are left when the kernel has ended early.
func (k *kernel) stopThreads() {
	for _, th := range k.threads {
		th.stop()
	}
}
