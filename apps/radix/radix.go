package radix

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

const (
	digitBits = 11
	digits    = 1 << digitBits
	// Passes is the number of digits in a key: each pass moves all keys once.
	Passes  = (32 + digitBits - 1) / digitBits
	maxKeys = 1 << 28
)

// Config describes a run.
type Config struct {
	Keys int    // number of keys, over all ranks
	Seed uint64 // of the random keys
	// Progress counts Passes at every rank. Spoil corrupts a key of the last rank that has keys.
	verify.Options
}

// Validate reports an error if the program cannot run with c.
func (c *Config) Validate() error {
	if c.Keys < 1 || c.Keys > maxKeys {
		return fmt.Errorf("radix: %d keys: want 1 to %d", c.Keys, maxKeys)
	}
	return nil
}

// Result is the outcome at one rank.
type Result struct {
	// Wrong counts the keys less than their predecessor, plus one each for a wrong number, sum or
	// hash of the keys. Only rank 0 has it.
	Wrong int
	// Time is the duration of the passes at this rank.
	Time fagus.Time
}

// keyTime is roughly what a pass costs per key on a Pentium III at 950 MHz: a count, a store to
// one of 2048 positions, which usually misses the first-level cache, and two copies.
const keyTime = 60 * fagus.Nanosecond

type sorter struct {
	Config
	node   *fagus.Node
	counts *parts.Vectors[int32]   // of keys per digit
	moving *parts.AllToAll[uint32] // keys
	mine   []uint32                // this rank's keys, sorted by the digits so far
	sorted []uint32                // sorted by one more digit
	// the position of the first key with digit d from rank r is begin[d*ranks+r]
	begin []int
}

// Run sorts. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, err
	}
	s := &sorter{Config: cfg, node: n, begin: make([]int, digits*n.Nodes()+1)}
	if err := s.declare(); err != nil {
		return Result{}, err
	}
	lo, hi := parts.Block(cfg.Keys, n.Nodes(), n.Rank())
	s.mine, s.sorted = make([]uint32, hi-lo), make([]uint32, hi-lo)
	cfg.fill(s.mine, lo)
	var r Result
	var err error
	r.Time, err = parts.Timed(n, func() error {
		for shift := 0; shift < 32; shift += digitBits {
			if err := s.pass(shift); err != nil {
				return err
			}
			s.Advance(1)
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	cfg.PlantLast(n, cfg.Keys, func() { spoil(s.mine) })
	r.Wrong, err = s.verify()
	return r, err
}

func (c *Config) fill(keys []uint32, lo int) {
	for i := range keys {
		keys[i] = key(c.Seed, lo+i)
	}
}

func spoil(keys []uint32) { keys[len(keys)/2]++ }

func (s *sorter) declare() (err error) {
	n := s.node
	if s.counts, err = parts.NewVectors[int32](n, "counts", digits); err != nil {
		return err
	}
	// A rank may have to send all of its keys to one other.
	most := (s.Keys + n.Nodes() - 1) / n.Nodes()
	s.moving, err = parts.NewAllToAll[uint32](n, "moving", most)
	return err
}

// pass sorts all keys by one digit. Keys with equal digits stay in order.
func (s *sorter) pass(shift int) error {
	s.node.Spend(fagus.Time(len(s.mine)) * keyTime)
	counts := make([]int32, digits)
	sortDigit(s.sorted, s.mine, counts, shift)
	if err := s.counts.Gather(counts, s.plan); err != nil {
		return err
	}
	return s.moving.Exchange(s.send, s.receive)
}

// sortDigit sorts slice from into to by one digit. Unless nil, counts gets the keys per digit.
func sortDigit(to, from []uint32, counts []int32, shift int) {
	var next [digits]int32
	for _, k := range from {
		next[k>>shift%digits]++
	}
	copy(counts, next[:])
	sum := int32(0)
	for d, count := range next {
		next[d] = sum
		sum += count
	}
	for _, k := range from {
		at := &next[k>>shift%digits]
		to[*at] = k
		*at++
	}
}

// plan computes begin from the number of keys per digit of each rank.
func (s *sorter) plan(counts [][]int32) {
	sum, i := 0, 0
	for d := range digits {
		for _, of := range counts {
			s.begin[i] = sum
			sum += int(of[d])
			i++
		}
	}
	s.begin[i] = sum
}

// amounts returns how many of this rank's keys go to each rank. s.sorted has the keys by rank.
func (s *sorter) amounts() []int {
	ranks := s.node.Nodes()
	to := make([]int, ranks)
	for i := s.node.Rank(); i < digits*ranks; i += ranks {
		for at, end := s.begin[i], s.begin[i+1]; at < end; {
			r := parts.Owner(s.Keys, ranks, at)
			_, hi := parts.Block(s.Keys, ranks, r)
			hi = min(hi, end)
			to[r] += hi - at
			at = hi
		}
	}
	return to
}

// send gives each rank the keys whose positions it has.
func (s *sorter) send(to [][]uint32) {
	rest := s.sorted
	for r, keys := range s.amounts() {
		to[r], rest = rest[:keys], rest[keys:]
	}
}

// receive copies keys to their positions.
func (s *sorter) receive(from [][]uint32) {
	first, end := parts.Block(s.Keys, s.node.Nodes(), s.node.Rank())
	for i := range digits * s.node.Nodes() {
		lo, hi := max(s.begin[i], first), min(s.begin[i+1], end)
		if lo < hi {
			r := i % s.node.Nodes()
			copy(s.mine[lo-first:hi-first], from[r])
			from[r] = from[r][hi-lo:]
		}
	}
}
