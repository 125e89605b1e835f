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

// envs returns the tables' environments (docs/lab/papers.md, DIMMnet-1, Measurement environments).
func envs() []string { return []string{"A", "B", "C", "D", "E", "F"} }

// AOTF measures round trips of a 4-byte store between two hosts, and stores of one host to itself
// through the cable and inside the NIC. It adds the papers' estimates for a bus of 133 MHz
// (docs/lab/papers.md, DIMMnet-1, Measurement environments).
func AOTF(ctx context.Context, cfg Config) (*Table, error) {
	s := newStudy(ctx, cfg, "aotf", "one AOTF of 4 bytes, there and back")
	for _, env := range envs() {
		s.add(env, "rtt_ns", s.roundTrip(env))
		external, internal := s.loop(env, true), s.loop(env, false)
		s.add(env, "external_loop_ns", external)
		s.add(env, "internal_loop_ns", internal)
		s.add(env, "outside_swif_ns", external-internal)
		// The papers give B's stages for F, and D's for E.
		if preset := s.preset(env); s.err == nil && !blind(env) {
			s.add(env, "nic_latency_ns", nanoseconds(preset.NICLatency()))
		}
	}
	design := s.preset("design")
	if s.err != nil {
		return nil, s.err
	}
	s.add("design", "nic_latency_ns", nanoseconds(design.NICLatency()))
	// A remote write takes 10 clocks more, to reach the DIMM; the last stage takes one.
	clock := design.NIC.Receive[len(design.NIC.Receive)-1].Time
	s.add("design", "remote_write_ns", nanoseconds(design.NICLatency()+10*clock))
	s.add("design", "botf_mb_s", s.sustained(false))
	s.add("design", "botf_both_ways_mb_s", s.sustained(true))
	return s.table()
}

func nanoseconds(t dimmnet.Time) float64 { return float64(t) / float64(dimmnet.Nanosecond) }

func (s *study) roundTrip(env string) float64 {
	return s.run(sim.Config{Env: env}, 2, func(p *pinger) (float64, error) {
		return p.rounds(s.cfg.Rounds, func(round uint32) error {
			if p.h.Port().Rank() == 1 {
				return p.answer(0, round)
			}
			return p.ask(1, round)
		})
	})
}

// loop returns the mean time of a 4-byte store of a rank to itself.
func (s *study) loop(env string, external bool) float64 {
	return s.run(sim.Config{Env: env, ExternalLoop: external}, 1, func(p *pinger) (float64, error) {
		return p.rounds(s.cfg.Rounds, func(round uint32) error { return p.ask(0, round) })
	})
}

// sustained returns the rate, in MB/s, at which one side sends full blocks with a bus of 133 MHz.
// If both is set, it is the rate of both sides together.
func (s *study) sustained(both bool) float64 {
	const block = 464
	return s.run(sim.Config{Env: "design"}, 2, func(p *pinger) (float64, error) {
		port := p.h.Port()
		sides := 1
		if both {
			sides = 2
		}
		sends := port.Rank() == 0 || both
		if sends {
			payload := make([]byte, block)
			for range s.cfg.Rounds {
				if err := dimmnet.Until(port, func() bool { return port.Write(1-port.Rank(), 0, payload) }); err != nil {
					return 0, err
				}
			}
		}
		seconds := float64(p.h.Now()) / float64(dimmnet.Second)
		if sends {
			if err := p.store(1-port.Rank(), block, 1); err != nil {
				return 0, err
			}
		}
		if both || !sends {
			if err := p.await(block, 1); err != nil {
				return 0, err
			}
		}
		return float64(sides*s.cfg.Rounds*block) / seconds / 1e6, nil
	})
}
