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
		// The order of turns is fixed only in phase mode, and only the first two ranks take turns.
		ordered := n.Mode() == fagus.Phase && n.Rank() < 2
		if want := handedOver(round, n.Rank(), n.Nodes()); ordered && before != want {
			return fmt.Errorf("bench: round %d: rank %d found %#x, want %#x", round, n.Rank(), before, want)
		}
		return nil
	}, nil
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
