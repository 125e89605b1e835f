package quic_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/quic"
	"github.com/fagus-dsm/fagus/dimmnet/tcp"
)

const (
	stop    = 1 << 63
	regions = 32 << 20 // bytes that the bandwidth is measured by
)

// each runs f on this network and, to compare, on TLS over TCP.
func each(b *testing.B, bulk int, f func(b *testing.B, network dimmnet.Network)) {
	b.Run("quic", func(b *testing.B) { f(b, quic.New(quic.Config{Bulk: bulk})) })
	b.Run("tcp", func(b *testing.B) { f(b, tcp.New(tcp.Config{Bulk: bulk, Encrypt: true})) })
}

// still is a Stepper that only waits.
type still struct{}

func (still) Step() (bool, error) { return false, nil }

// await waits until the word at 0 holds want or more, and returns it.
func await(p dimmnet.Port, want uint64) (got uint64, err error) {
	err = dimmnet.Drive(p, still{}, func() bool { got = p.Load(0); return got >= want })
	return got, err
}

// signal stores the number of the round at 0 of the other rank.
func signal(p dimmnet.Port, round uint64) error {
	return post(p, func() bool { return p.Store(1-p.Rank(), 0, round, 8) })
}

// post tries until it is posted.
func post(p dimmnet.Port, try func() bool) error {
	posted := false
	return dimmnet.Drive(p, still{}, func() bool { posted = posted || try(); return posted })
}

// pair runs lead on rank 0 of two, b.Loop times, and answer on rank 1 whenever rank 0
// has stored the number of the round at 0 there.
func pair(b *testing.B, network dimmnet.Network, lead, answer func(p dimmnet.Port, round uint64) error) {
	err := network.Run(b.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 0 {
			for round := uint64(1); b.Loop(); round++ {
				if err := lead(p, round); err != nil {
					return err
				}
			}
			return signal(p, stop)
		}
		for round := uint64(1); ; round++ {
			if got, err := await(p, round); err != nil || got == stop {
				return err
			}
			if err := answer(p, round); err != nil {
				return err
			}
		}
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkPage is a round trip with a page before each flag.
func BenchmarkPage(b *testing.B) {
	page := make([]byte, 4096)
	send := func(p dimmnet.Port, round uint64) error {
		if err := post(p, func() bool { return p.Write(1-p.Rank(), 4096, page) }); err != nil {
			return err
		}
		return signal(p, round)
	}
	each(b, 0, func(b *testing.B, network dimmnet.Network) {
		pair(b, network, func(p dimmnet.Port, round uint64) error {
			if err := send(p, round); err != nil {
				return err
			}
			_, err := await(p, round)
			return err
		}, send)
	})
}

// BenchmarkExchange is a barrier of two: each signals, and waits for the other.
func BenchmarkExchange(b *testing.B) {
	each(b, 0, func(b *testing.B, network dimmnet.Network) {
		err := network.Run(b.Context(), 2, func(h dimmnet.Host) error {
			p := h.Port()
			for round := uint64(1); p.Rank() == 1 || b.Loop(); round++ {
				if err := signal(p, round); err != nil {
					return err
				}
				if got, err := await(p, round); err != nil || got == stop {
					return err
				}
			}
			return signal(p, stop)
		})
		if err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkPush moves 32 MiB from memory to memory at once.
func BenchmarkPush(b *testing.B) {
	const done = 8
	each(b, regions, func(b *testing.B, network dimmnet.Network) {
		b.SetBytes(regions)
		pair(b, network, func(p dimmnet.Port, round uint64) error {
			bulk := dimmnet.Offset(p.Limits().LLCM)
			p.Store(0, done, 0, 8) // to itself, which always has room
			if err := post(p, func() bool { return p.Push(1, bulk, bulk, regions, done) }); err != nil {
				return err
			}
			if err := dimmnet.Drive(p, still{}, func() bool { return p.Load(done) == regions }); err != nil {
				return err
			}
			return signal(p, round)
		}, func(dimmnet.Port, uint64) error { return nil })
	})
}
