//go:build linux

package tcp_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/tcp"
)

const (
	stop    = 1 << 63
	regions = 32 << 20 // bytes that the bandwidth is measured by
)

// turn waits until the word at 0 holds want or more.
type turn struct {
	port dimmnet.Port
	want uint64
	got  uint64
}

func (w *turn) Step() (bool, error) {
	w.got = w.port.Load(0)
	return w.done(), nil
}

func (w *turn) done() bool { return w.got >= w.want }

func (w *turn) await(want uint64) error {
	w.want = want
	return dimmnet.Drive(w.port, w, w.done)
}

// posting is a list of posts, tried in order.
type posting struct {
	next, count int
	post        func(i int) bool
}

func (s *posting) Step() (progress bool, err error) {
	for s.next < s.count && s.post(s.next) {
		s.next++
		progress = true
	}
	return progress, nil
}

func (s *posting) done() bool { return s.next == s.count }

func postAll(p dimmnet.Port, count int, post func(i int) bool) error {
	s := &posting{count: count, post: post}
	return dimmnet.Drive(p, s, s.done)
}

// each runs f without encryption and with it.
func each(b *testing.B, f func(b *testing.B, cfg tcp.Config)) {
	b.Run("plain", func(b *testing.B) { f(b, tcp.Config{}) })
	b.Run("tls", func(b *testing.B) { f(b, tcp.Config{Encrypt: true}) })
}

// pair runs lead on rank 0 of two, b.Loop times, and answer on rank 1 whenever rank 0
// has stored the number of the round at 0 there.
func pair(b *testing.B, cfg tcp.Config, lead, answer func(p dimmnet.Port, w *turn, round uint64) error) {
	err := tcp.New(cfg).Run(b.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		w := &turn{port: p}
		if p.Rank() == 0 {
			for round := uint64(1); b.Loop(); round++ {
				if err := lead(p, w, round); err != nil {
					return err
				}
			}
			return postAll(p, 1, func(int) bool { return p.Store(1, 0, stop, 8) })
		}
		for round := uint64(1); ; round++ {
			if err := w.await(round); err != nil || w.got == stop {
				return err
			}
			if err := answer(p, w, round); err != nil {
				return err
			}
		}
	})
	if err != nil {
		b.Fatal(err)
	}
}

// signal stores the number of the round at 0 of the other rank.
func signal(p dimmnet.Port, round uint64) error {
	return postAll(p, 1, func(int) bool { return p.Store(1-p.Rank(), 0, round, 8) })
}

// BenchmarkPingPong is a round trip of an 8-byte flag.
func BenchmarkPingPong(b *testing.B) { each(b, pingPong) }

func pingPong(b *testing.B, cfg tcp.Config) {
	pair(b, cfg,
		func(p dimmnet.Port, w *turn, round uint64) error {
			if err := signal(p, round); err != nil {
				return err
			}
			return w.await(round)
		},
		func(p dimmnet.Port, _ *turn, round uint64) error { return signal(p, round) })
}

// BenchmarkPage is a round trip with a page before each flag.
func BenchmarkPage(b *testing.B) { each(b, pages) }

func pages(b *testing.B, cfg tcp.Config) {
	page := make([]byte, 4096)
	send := func(p dimmnet.Port, round uint64) error {
		if err := postAll(p, 1, func(int) bool { return p.Write(1-p.Rank(), 4096, page) }); err != nil {
			return err
		}
		return signal(p, round)
	}
	pair(b, cfg,
		func(p dimmnet.Port, w *turn, round uint64) error {
			if err := send(p, round); err != nil {
				return err
			}
			return w.await(round)
		},
		func(p dimmnet.Port, _ *turn, round uint64) error { return send(p, round) })
}

// BenchmarkExchange is a barrier of two: each signals, and waits for the other.
func BenchmarkExchange(b *testing.B) { each(b, exchange) }

func exchange(b *testing.B, cfg tcp.Config) {
	err := tcp.New(cfg).Run(b.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		w := &turn{port: p}
		for round := uint64(1); p.Rank() == 1 || b.Loop(); round++ {
			if err := signal(p, round); err != nil {
				return err
			}
			if err := w.await(round); err != nil || w.got == stop {
				return err
			}
		}
		return signal(p, stop)
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkWrite moves 32 MiB by blocks, a page each.
func BenchmarkWrite(b *testing.B) { each(b, writeRegion) }

func writeRegion(b *testing.B, cfg tcp.Config) {
	page := make([]byte, 4096)
	b.SetBytes(regions)
	cfg.LLCM = regions + len(page)
	pair(b, cfg,
		func(p dimmnet.Port, w *turn, round uint64) error {
			err := postAll(p, regions/len(page), func(i int) bool {
				return p.Write(1, dimmnet.Offset((i+1)*len(page)), page)
			})
			if err != nil {
				return err
			}
			if err := signal(p, round); err != nil {
				return err
			}
			return w.await(round)
		},
		func(p dimmnet.Port, _ *turn, round uint64) error { return signal(p, round) })
}

// BenchmarkPush moves 32 MiB from memory to memory at once.
func BenchmarkPush(b *testing.B) {
	each(b, pushRegion)
	b.Run("unsummed", func(b *testing.B) { pushRegion(b, tcp.Config{Unsummed: true}) })
}

func pushRegion(b *testing.B, cfg tcp.Config) {
	const llcm = 1 << 17
	b.SetBytes(regions)
	cfg.LLCM, cfg.Bulk = llcm, regions
	pair(b, cfg,
		func(p dimmnet.Port, w *turn, round uint64) error {
			err := postAll(p, 2, func(i int) bool {
				if i == 0 {
					return p.Store(0, 8, 0, 8)
				}
				return p.Push(1, llcm, llcm, regions, 8)
			})
			if err != nil {
				return err
			}
			landed := func() bool { return p.Load(8) == regions }
			if err := dimmnet.Drive(p, still{}, landed); err != nil {
				return err
			}
			return signal(p, round)
		},
		func(dimmnet.Port, *turn, uint64) error { return nil })
}

// still is a Stepper that only waits.
type still struct{}

func (still) Step() (bool, error) { return false, nil }
