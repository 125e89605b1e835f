package meshtest

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// BenchmarkBytes is the amount of memory that bandwidth benchmarks move at a time.
const BenchmarkBytes = 32 << 20

// Pair calls lead on rank 0, b.Loop times. Rank 1 waits for each signal and then calls answer.
func Pair(b *testing.B, network dimmnet.Network, lead, answer func(p dimmnet.Port, round uint64) error) {
	err := network.Run(b.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 0 {
			for round := uint64(1); b.Loop(); round++ {
				if err := lead(p, round); err != nil {
					return err
				}
			}
			return Signal(p, Stop)
		}
		for round := uint64(1); ; round++ {
			if got, err := Await(p, round); err != nil || got == Stop {
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

// thenAwait returns a function that calls send, and waits for the peer's signal of the round.
func thenAwait(send func(p dimmnet.Port, round uint64) error) func(p dimmnet.Port, round uint64) error {
	return func(p dimmnet.Port, round uint64) error {
		if err := send(p, round); err != nil {
			return err
		}
		_, err := Await(p, round)
		return err
	}
}

// PingPong measures a round trip of an 8-byte flag.
func PingPong(b *testing.B, network dimmnet.Network) { Pair(b, network, thenAwait(Signal), Signal) }

// Page measures a round trip in which a page precedes each flag.
func Page(b *testing.B, network dimmnet.Network) {
	page := make([]byte, 4096)
	send := func(p dimmnet.Port, round uint64) error {
		if err := Post(p, func() bool { return p.Write(1-p.Rank(), 4096, page) }); err != nil {
			return err
		}
		return Signal(p, round)
	}
	Pair(b, network, thenAwait(send), send)
}

// Exchange measures a barrier of two ranks: each signals, and waits for the other.
func Exchange(b *testing.B, network dimmnet.Network) {
	err := network.Run(b.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		for round := uint64(1); p.Rank() == 1 || b.Loop(); round++ {
			if err := Signal(p, round); err != nil {
				return err
			}
			if got, err := Await(p, round); err != nil || got == Stop {
				return err
			}
		}
		return Signal(p, Stop)
	})
	if err != nil {
		b.Fatal(err)
	}
}

// Write measures Writes of a page each, BenchmarkBytes in all. The LLCM has a page more than that.
func Write(b *testing.B, network dimmnet.Network) {
	page := make([]byte, 4096)
	b.SetBytes(BenchmarkBytes)
	send := func(p dimmnet.Port, round uint64) error {
		err := PostAll(p, BenchmarkBytes/len(page), func(i int) bool {
			return p.Write(1, dimmnet.Offset((i+1)*len(page)), page)
		})
		if err != nil {
			return err
		}
		return Signal(p, round)
	}
	Pair(b, network, thenAwait(send), Signal)
}

// Push measures a Push of BenchmarkBytes from bulk memory to bulk memory.
func Push(b *testing.B, network dimmnet.Network) {
	const done = 8 // LLCM offset of the completion
	b.SetBytes(BenchmarkBytes)
	lead := func(p dimmnet.Port, round uint64) error {
		bulk := dimmnet.Offset(p.Limits().LLCM)
		p.Store(0, done, 0, 8) // a Store to the own rank is never refused
		if err := Post(p, func() bool { return p.Push(1, bulk, bulk, BenchmarkBytes, done) }); err != nil {
			return err
		}
		if err := dimmnet.Drive(p, Still{}, func() bool { return p.Load(done) == BenchmarkBytes }); err != nil {
			return err
		}
		return Signal(p, round)
	}
	Pair(b, network, lead, func(dimmnet.Port, uint64) error { return nil })
}
