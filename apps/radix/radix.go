package radix

import (
	"fmt"
	"slices"

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

// keyTime is roughly what a pass costs per key on a Pentium III at 950 MHz: two counts, of which
// one is of sorted keys, a store to one of 2048 positions, which usually misses the first-level
// cache, and two copies.
const keyTime = 60 * fagus.Nanosecond

type sorter struct {
	Config
	node   *fagus.Node
	moving *parts.AllToAll[uint32] // counts of keys, positions, and keys in turn: so phases repeat
	mine   []uint32                // this rank's keys, sorted by the digits so far
	sorted []uint32                // sorted by one more digit
	own    [digits]uint32          // how many keys this rank has, by digit
	begin  [digits]int             // the position of the first of them
}

// Run sorts. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, err
	}
	s := &sorter{Config: cfg, node: n}
	if err := s.declare(); err != nil {
		return Result{}, err
	}
	lo, hi := parts.Block(cfg.Keys, n.Nodes(), n.Rank())
	s.mine, s.sorted = make([]uint32, hi-lo), make([]uint32, hi-lo)
	cfg.fill(s.mine, lo)
	parts.KeepBlock(n, "mine", &s.mine, cfg.Keys, 1)
	n.Resume()
	var r Result
	var err error
	r.Time, err = parts.Timed(n, func() error {
		for i := range n.Steps(Passes) {
			if err := s.pass(i * digitBits); err != nil {
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
	// A rank may have to send all of its keys to one other rank. To a rank that is responsible for
	// digits, it sends a number for each digit.
	most := max((s.Keys+n.Nodes()-1)/n.Nodes(), (digits+n.Nodes()-1)/n.Nodes()+1)
	s.moving, err = parts.NewAllToAll[uint32](n, "moving", most)
	return err
}

// pass sorts all keys by one digit. Keys with equal digits stay in order.
func (s *sorter) pass(shift int) error {
	s.node.Spend(fagus.Time(len(s.mine)) * keyTime)
	sortDigit(s.sorted, s.mine, s.own[:], shift)
	if err := s.place(); err != nil {
		return err
	}
	return s.moving.Exchange(s.send, func(from [][]uint32) { merge(s.mine, from, shift) })
}

// sortDigit sorts slice from into to by one digit. Unless nil, counts gets the keys per digit.
func sortDigit(to, from []uint32, counts []uint32, shift int) {
	var next [digits]uint32
	for _, k := range from {
		next[k>>shift%digits]++
	}
	copy(counts, next[:])
	sum := uint32(0)
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

// place computes the positions of this rank's keys. Each rank is responsible for some digits. It
// gets the number of keys by digit from all ranks. For each digit it sends every rank two numbers:
// the position of that rank's first key, counted from the first key with one of these digits, and
// the number of all keys with these digits.
func (s *sorter) place() error {
	n := s.node
	var counts [][]uint32 // by rank: of keys of the digits for which this rank is responsible
	if err := s.moving.Exchange(
		func(to [][]uint32) { split(to, s.own[:]) },
		func(from [][]uint32) {
			for _, c := range from {
				counts = append(counts, slices.Clone(c))
			}
		}); err != nil {
		return err
	}
	sum := uint32(0)
	for d := range counts[0] {
		for _, of := range counts {
			of[d], sum = sum, sum+of[d]
		}
	}
	return s.moving.Exchange(
		func(to [][]uint32) {
			for r, of := range counts {
				to[r] = append(append(to[r], of...), sum)
			}
		},
		func(from [][]uint32) {
			first := uint32(0)
			for r, positions := range from {
				lo, hi := parts.Block(digits, n.Nodes(), r)
				for d, p := range positions[:hi-lo] {
					s.begin[lo+d] = int(first + p)
				}
				first += positions[hi-lo]
			}
		})
}

// split gives each rank the numbers for which it is responsible.
func split(to [][]uint32, numbers []uint32) {
	for r := range to {
		lo, hi := parts.Block(len(numbers), len(to), r)
		to[r] = append(to[r], numbers[lo:hi]...)
	}
}

// amounts returns how many of this rank's keys go to each rank. s.sorted has the keys by rank.
func (s *sorter) amounts() []int {
	ranks := s.node.Nodes()
	to := make([]int, ranks)
	for d, count := range s.own {
		for at, end := s.begin[d], s.begin[d]+int(count); at < end; {
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

// merge merges the keys from all ranks, each sorted by a digit, into to. Keys with equal digits are
// in the order of the ranks.
func merge(to []uint32, from [][]uint32, shift int) {
	var next [digits]int
	for _, keys := range from {
		for _, k := range keys {
			next[k>>shift%digits]++
		}
	}
	sum := 0
	for d, count := range next {
		next[d], sum = sum, sum+count
	}
	for _, keys := range from {
		for _, k := range keys {
			at := &next[k>>shift%digits]
			to[*at] = k
			*at++
		}
	}
}
