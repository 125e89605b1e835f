package reproduce

import (
	"context"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// Config configures a measurement. The zero value is useful.
type Config struct {
	Rounds   int    // rounds of each measurement; default 2000
	Seed     uint64 // seed of the phases of polls; default 1
	Progress func() // if not nil, called after each measurement
}

func (c Config) withDefaults() Config {
	if c.Rounds == 0 {
		c.Rounds = 2000
	}
	if c.Seed == 0 {
		c.Seed = 1
	}
	if c.Progress == nil {
		c.Progress = func() {}
	}
	return c
}

// envs returns the tables' environments (docs/papers.md, DIMMnet-1, Measurement environments).
func envs() []string { return []string{"A", "B", "C", "D", "E", "F"} }

// AOTF measures round trips of a 4-byte store between two hosts, and stores of one host to itself
// through the cable and inside the NIC. It adds the papers' estimates for a bus of 133 MHz
// (docs/papers.md, DIMMnet-1, Measurement environments).
func AOTF(ctx context.Context, cfg Config) (*Table, error) {
	cfg, t, err := newTable(cfg, "aotf", "one AOTF of 4 bytes, there and back")
	if err != nil {
		return nil, err
	}
	for _, env := range envs() {
		rtt, err := roundTrip(ctx, cfg, env)
		if err != nil {
			return nil, err
		}
		t.add(env, "rtt_ns", rtt)
		if err := t.addLoops(ctx, cfg, env); err != nil {
			return nil, err
		}
	}
	bound, err := programBound()
	if err != nil {
		return nil, err
	}
	t.expect(t.Rows, bound)
	design, err := sim.LoadPreset("design")
	if err != nil {
		return nil, err
	}
	t.add("design", "nic_latency_ns", nanoseconds(design.NICLatency()))
	rate, err := sustained(ctx, cfg)
	if err != nil {
		return nil, err
	}
	t.add("design", "botf_mb_s", rate)
	return t, nil
}

func nanoseconds(t dimmnet.Time) float64 { return float64(t) / float64(dimmnet.Nanosecond) }

func roundTrip(ctx context.Context, cfg Config, env string) (float64, error) {
	return run(ctx, cfg, sim.Config{Env: env}, 2, func(p *pinger) (float64, error) {
		return p.rounds(cfg.Rounds, func(round uint32) error {
			if p.h.Port().Rank() == 1 {
				return p.answer(0, round)
			}
			return p.ask(1, round)
		})
	})
}

func (t *Table) addLoops(ctx context.Context, cfg Config, env string) error {
	for _, external := range []bool{true, false} {
		quantity := "internal_loop_ns"
		if external {
			quantity = "external_loop_ns"
		}
		loop, err := loop(ctx, cfg, env, external)
		if err != nil {
			return err
		}
		t.add(env, quantity, loop)
	}
	return nil
}

// loop returns the mean time of a 4-byte store of a rank to itself.
func loop(ctx context.Context, cfg Config, env string, external bool) (float64, error) {
	return run(ctx, cfg, sim.Config{Env: env, ExternalLoop: external}, 1, func(p *pinger) (float64, error) {
		return p.rounds(cfg.Rounds, func(round uint32) error { return p.ask(0, round) })
	})
}

// sustained returns the rate, in MB/s, at which one side sends full blocks with a bus of 133 MHz.
func sustained(ctx context.Context, cfg Config) (float64, error) {
	const block = 464
	return run(ctx, cfg, sim.Config{Env: "design"}, 2, func(p *pinger) (float64, error) {
		port := p.h.Port()
		if port.Rank() == 1 {
			err := p.await(block, 1)
			return 0, err
		}
		w := &writer{port: port, block: make([]byte, block), left: cfg.Rounds}
		if err := dimmnet.Drive(port, w, func() bool { return w.left == 0 }); err != nil {
			return 0, err
		}
		seconds := float64(p.h.Now()) / float64(dimmnet.Second)
		return float64(cfg.Rounds*block) / seconds / 1e6, p.store(1, block, 1)
	})
}

// writer is a Stepper that writes the same block; left counts the writes to go.
type writer struct {
	port  dimmnet.Port
	block []byte
	left  int
}

func (w *writer) Step() (progress bool, err error) {
	if !w.port.Write(1, 0, w.block) {
		return false, nil
	}
	w.left--
	return true, nil
}
