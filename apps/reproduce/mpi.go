package reproduce

import (
	"context"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/mpi"
	"github.com/fagus-dsm/fagus/dimmnet/lib/mpi/ivs"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/dimmnet2"
)

// mpiProtocol is the time of MPI's calls and requests for a message, at both ends together: the
// paper's MPI latency minus the latency of its library.
const mpiProtocol = 1250 * dimmnet.Nanosecond

// MPI measures commands of DIMMnet-2, and empty messages of the library and of MPI, eager and by
// rendezvous. The time of a message is half a round trip.
func MPI(ctx context.Context, cfg Config) (*Table, error) {
	s := newStudy(ctx, cfg, "mpi", "DIMMnet-2: commands, and messages of no bytes")
	add := func(quantity string, measure func(*study) (dimmnet.Time, error)) (us float64) {
		if s.err == nil {
			var took dimmnet.Time
			took, s.err = measure(s)
			us = float64(took) / float64(dimmnet.Microsecond)
		}
		s.add("dimmnet2", quantity, us)
		s.cfg.Progress()
		return us
	}
	messages := func(protocol dimmnet.Time, eager int) func(*study) (dimmnet.Time, error) {
		return func(s *study) (dimmnet.Time, error) { return s.message(protocol, eager) }
	}
	botf, load := add("botf_ivs_us", (*study).botfIVS), add("vl_us", (*study).vectorLoad)
	libraryEager, mpiEager := add("library_eager_us", messages(0, 0)), add("mpi_eager_us", messages(mpiProtocol, 0))
	add("mpi_rendezvous_us", messages(mpiProtocol, -1))
	// The paper's rows 6 to 8, which are differences of the rows above.
	protocol, library := mpiEager-libraryEager, libraryEager-botf-load
	s.add("dimmnet2", "protocol_us", protocol)
	s.add("dimmnet2", "library_us", library)
	s.add("dimmnet2", "host_us", protocol+library)
	return s.table()
}

// onDIMMnet2 runs body on the given ranks. body calls phase to spend a random part of a poll.
func (s *study) onDIMMnet2(ranks int, body func(h dimmnet.Host, phase func()) error) error {
	w, err := dimmnet2.New(sim.Config{}, dimmnet2.Default())
	if err != nil {
		return err
	}
	return w.Run(s.ctx, ranks, func(h dimmnet.Host) error {
		random := rand.New(rand.NewPCG(s.cfg.Seed, uint64(h.Port().Rank())))
		return body(h, func() { h.Spend(dimmnet.Time(random.Int64N(int64(dimmnet2.Default().Read)))) })
	})
}

// botfIVS times a BOTF of a 32-byte IVS packet, from filling a window until its NWA is seen.
func (s *study) botfIVS() (took dimmnet.Time, err error) {
	const bytes = 32
	err = s.onDIMMnet2(2, func(h dimmnet.Host, phase func()) error {
		u, err := dimmnet2.Open(h)
		if err != nil {
			return err
		}
		me := h.Port().Rank()
		begin := h.Now()
		for i := range 2 * s.cfg.Rounds {
			if i%2 == int(me) {
				w := i / 2 % 64
				if err := u.Put(w, u.IVSImage(1-me, bytes), make([]byte, bytes)); err != nil {
					return err
				}
				if _, err := u.BOTF(w); err != nil {
					return err
				}
				phase()
				continue
			}
			got := uint64((i/2 + 1) * bytes)
			for nwa := uint64(0); nwa < got; {
				if nwa, err = u.NWA(1 - me); err != nil {
					return err
				}
			}
			if err := u.Advance(1-me, got); err != nil {
				return err
			}
		}
		took = max(took, (h.Now()-begin)/dimmnet.Time(2*s.cfg.Rounds))
		return nil
	})
	return took, err
}

// vectorLoad returns the time of a VL of 128 bytes, from the command until UR shows its end.
func (s *study) vectorLoad() (took dimmnet.Time, err error) {
	err = s.onDIMMnet2(1, func(h dimmnet.Host, _ func()) error {
		u, err := dimmnet2.Open(h)
		if err != nil {
			return err
		}
		begin := h.Now()
		for range s.cfg.Rounds {
			n, err := u.VL(dimmnet2.Contiguous(1<<20, 128), 0)
			if err != nil {
				return err
			}
			for !u.Done(n) {
			}
		}
		took = (h.Now() - begin) / dimmnet.Time(s.cfg.Rounds)
		return nil
	})
	return took, err
}

func (s *study) message(protocol dimmnet.Time, eager int) (took dimmnet.Time, err error) {
	err = s.onDIMMnet2(2, func(h dimmnet.Host, phase func()) error {
		link, err := ivs.New(h, ivs.Config{Protocol: protocol})
		if err != nil {
			return err
		}
		return mpi.Run(h, mpi.Options{Link: link, Eager: eager}, func(c *mpi.Comm) error {
			if err := c.Barrier(); err != nil {
				return err
			}
			begin := h.Now()
			for i := range 2 * s.cfg.Rounds {
				if i%2 != c.Rank() {
					if _, err := c.Recv(nil, 1-c.Rank(), 0); err != nil {
						return err
					}
					continue
				}
				if err := c.Send(nil, 1-c.Rank(), 0); err != nil {
					return err
				}
				phase()
			}
			took = max(took, (h.Now()-begin)/dimmnet.Time(2*s.cfg.Rounds))
			return nil
		})
	})
	return took, err
}
