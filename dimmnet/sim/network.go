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
	// Env names the preset, one of Envs; the default is fagus2.
	Env string
	// Preset, if not nil, is used instead: one of LoadPreset, changed.
	Preset *Preset
	// Seed other than 0 adds random delays, drawn from it, to packets and Spend.
	Seed uint64
	// MaxDelay bounds each random delay; default 100 us.
	MaxDelay dimmnet.Time
	// Limit bounds the virtual time of a run; default 100 days.
	Limit dimmnet.Time
	// Spin runs every polling pass instead of skipping those that change
	// nothing. The result is the same, later.
	Spin bool
	// ExternalLoop lets what a node sends to itself take the cable, instead of
	// turning round in the SWIF.
	ExternalLoop bool
	// UDP, if not nil, replaces the NICs by UDP over the Ethernet that joins the
	// hosts of Env: UDP-Fagus. Spin and ExternalLoop then mean nothing.
	UDP *UDP
	// Faults are what goes wrong; without them nothing does but what UDP says.
	Faults []Fault
	// Trace, if not nil, gets every record of the run in order.
	Trace func(Record)
}

const (
	defaultMaxDelay = 100 * dimmnet.Microsecond
	defaultLimit    = 100 * 24 * 3600 * dimmnet.Second
	maxTime         = defaultLimit // a little less than Time holds
	// ackStages of the send path are those of a packet that the hardware makes:
	// size decision, send-buffer handshake and SWIF.
	ackStages = 3
	// grace is how long Run waits for a thread that computes on after its
	// context ended.
	grace = 5 * time.Second
)

// Network runs programs in virtual time. One Run at a time.
type Network struct {
	cfg    Config
	preset Preset
	result Result
}

// Result says what a run came to.
type Result struct {
	TraceHash uint64         // over every delivery and every change of state
	Events    uint64         // that the kernel took from its queue
	End       dimmnet.Time   // the last event
	NIC       martini.Counts // of all NICs together
	Refused   []Refused      // the first packets that receivers refused, at most 100
	UDP       UDPCounts      // of a UDP network
	Held      uint64         // packets that partitions have held
	Struck    []bool         // by fault of Config.Faults: whether anything met it
}

// Refused is a packet that its receiver did not let in, or that did not leave.
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
	if cfg.MaxDelay < 0 || cfg.Limit < 0 || cfg.MaxDelay > maxTime || cfg.Limit > maxTime {
		return nil, fmt.Errorf("sim: MaxDelay %v and Limit %v: each can be up to %v", cfg.MaxDelay, cfg.Limit, maxTime)
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

// Clock is virtual.
func (*Network) Clock() dimmnet.Clock { return dimmnet.Virtual }

// Preset returns the numbers of the network's environment.
func (w *Network) Preset() Preset { return w.preset }

// Result returns what the last Run came to.
func (w *Network) Result() Result { return w.result }

// Run starts body on nodes nodes; see [dimmnet.Network]. All of them run on
// one goroutine.
func (w *Network) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	if nodes < 1 || nodes > dimmnet.MaxNodes {
		return fmt.Errorf("sim: %d nodes: there can be 1 to %d", nodes, dimmnet.MaxNodes)
	}
	if body == nil {
		return errors.New("sim: no program to run")
	}
	for i := range w.cfg.Faults {
		if err := w.cfg.Faults[i].checkRanks(nodes); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("sim: not started: %w", dimmnet.ContextErr(ctx))
	}
	k := w.newKernel(ctx, nodes, body)
	over := make(chan struct{})
	go func() {
		defer close(over) // also when a thread's Goexit takes this goroutine along
		defer k.stopThreads()
		k.run()
	}()
	select {
	case <-over:
	case <-ctx.Done():
		select {
		case <-over:
		case <-time.After(grace):
			return fmt.Errorf("sim: %w; rank %d goes on and was left behind", dimmnet.ContextErr(ctx), k.running.Load())
		}
	}
	w.result = Result{TraceHash: k.trace.hash, Events: k.events, End: k.now, NIC: k.nicCounts(), Refused: k.refusals, UDP: k.counts, Held: k.heldPackets, Struck: k.struck}
	return k.cause
}

func (w *Network) newKernel(ctx context.Context, nodes int, body func(dimmnet.Host) error) *kernel {
	k := &kernel{
		ctx:         ctx,
		cfg:         w.cfg,
		preset:      w.preset,
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
	k.plan()
	for i := range nodes {
		n := &k.nodes[i]
		n.memory = newMemory(w.preset.Limits.LLCM)
		if nics {
			n.host, n.network = make(bank), make(bank)
			n.openPort(&w.preset.Limits)
		}
		n.cpus, n.notice.k = max(1, w.preset.Host.CPUs), k
		k.newThread(n, dimmnet.Rank(i), "", 0, body)
	}
	return k
}

// refused keeps what is reported of a refusal.
func (k *kernel) refused(r Refused) {
	if len(k.refusals) < maxRefused {
		k.refusals = append(k.refusals, r)
	}
}

// nicCounts adds up what all NICs have counted.
func (k *kernel) nicCounts() (sum martini.Counts) {
	for i := range k.nodes {
		sum = sum.Plus(k.nodes[i].chip.Counts())
	}
	return sum
}

// stopThreads unwinds what still runs when the kernel has ended early.
func (k *kernel) stopThreads() {
	for _, th := range k.threads {
		th.stop()
	}
}
