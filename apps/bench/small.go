package bench

import (
	"bytes"
	"crypto/subtle"
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

const lineWords = 8

func (m *Meter) sum() (func(uint64) error, error) {
	n := m.n
	add := func(a, b float64) float64 { return a + b }
	return func(round uint64) error {
		sum, err := fagus.Reduce(n, float64(round)+float64(n.Rank()), add)
		if err != nil {
			return err
		}
		if want := float64(n.Nodes())*float64(round) + float64(n.Nodes()*(n.Nodes()-1)/2); sum != want {
			return fmt.Errorf("bench: round %d: rank %d got the sum %g, want %g", round, n.Rank(), sum, want)
		}
		return nil
	}, nil
}

// compute is a chain of steps, each of which waits for the one before: 4 or 5 cycles.
func compute(x uint64, steps int) uint64 {
	for range steps {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

// mask returns the pattern that a rank XORs into every byte.
func mask(rank int) byte { return [2]byte{0x5a, 0x3c}[rank%2] }

// handOver returns the operation in which the first two ranks change a region in turn.
func (m *Meter) handOver(length int) (func(uint64) error, error) {
	n := m.n
	data, guard, err := guarded[byte](m, "", length)
	if err != nil {
		return nil, err
	}
	mine, none := n.Set(fagus.Want(guard, fagus.Exclusive)), n.Set()
	pattern := bytes.Repeat([]byte{mask(n.Rank())}, min(length, 4096))
	if n.Mode() == fagus.Threaded {
		return m.handOverThreaded(data, mine, pattern), nil
	}
	return func(round uint64) error {
		var before byte
		for turn := range 2 {
			if turn == n.Rank() {
				err = during(n, mine, func() { before = change(data.Slice(), pattern) })
			} else {
				err = during(n, none, func() {})
			}
			if err != nil {
				return err
			}
		}
		if want := handedOver(round, n.Rank(), n.Nodes()); n.Rank() < 2 && before != want {
			return fmt.Errorf("bench: round %d: rank %d found %#x, want %#x", round, n.Rank(), before, want)
		}
		return nil
	}, nil
}

// handOverThreaded is handOver where the engine does not order the turns. A rank that acquires the
// region before its turn releases it at once, and tries again. The content shows whose turn it is,
// because it differs after each of the four turns of two rounds.
func (m *Meter) handOverThreaded(data *fagus.Array[byte], mine *fagus.SyncSet, pattern []byte) func(uint64) error {
	n := m.n
	const most = 1 << 24 // tries in a round; some seconds at least
	await := func(last byte, work func([]byte)) error {
		for range most {
			found := false
			err := during(n, mine, func() {
				if s := data.Slice(); s[len(s)-1] == last {
					work(s)
					found = true
				}
			})
			if err != nil || found {
				return err
			}
		}
		return fmt.Errorf("bench: rank %d did not find %#x in %d tries", n.Rank(), last, most)
	}
	if n.Rank() == 0 && n.Nodes() > 1 { // rank 1's turn of the last round counts, too
		m.finish = func() error { return await(handedOver(m.round+1, 0, n.Nodes()), func([]byte) {}) }
	}
	return func(round uint64) error {
		if n.Rank() > 1 {
			return nil
		}
		return await(handedOver(round, n.Rank(), n.Nodes()), func(s []byte) { change(s, pattern) })
	}
}

// handedOver returns the value of a byte that a rank finds in a round. Rounds count from 1.
func handedOver(round uint64, rank, nodes int) (b byte) {
	if round%2 == 0 { // two complete rounds of XOR cancel each other
		for r := range min(nodes, 2) {
			b ^= mask(r)
		}
	}
	if rank == 1 {
		b ^= mask(0)
	}
	return b
}

// change reads and changes all of data, one pattern at a time, and returns the old last byte.
func change(data, pattern []byte) (last byte) {
	last = data[len(data)-1]
	for len(data) > 0 {
		done := subtle.XORBytes(data, data, pattern)
		data = data[done:]
	}
	return last
}
