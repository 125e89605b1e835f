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
	node     *fagus.Node
	counts   *parts.Blocks[int32] // by rank: its number of keys per digit
	moving   *fagus.Array[uint32] // a buffer of capacity keys for each pair of ranks
	guards   [][]*fagus.SyncVar   // of the buffers, by sender and receiver
	capacity int                  // largest number of keys of a rank
	mine     []uint32             // this rank's keys, sorted by the digits so far
	sorted   []uint32             // sorted by one more digit
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
	if s.counts, err = parts.NewBlocks[int32](n, "counts", n.Nodes(), digits); err != nil {
		return err
	}
	s.capacity = (s.Keys + n.Nodes() - 1) / n.Nodes()
	if s.moving, err = fagus.NewArray[uint32](n, "moving", n.Nodes()*n.Nodes()*s.capacity); err != nil {
		return err
	}
	s.guards = make([][]*fagus.SyncVar, n.Nodes())
	for from := range s.guards {
		s.guards[from] = make([]*fagus.SyncVar, n.Nodes())
		for to := range s.guards[from] {
			if to == from {
				continue
			}
			v, err := n.Bind(fmt.Sprintf("from %d to %d", from, to), s.bufferRange(from, to, s.capacity))
			if err != nil {
				return err
			}
			s.guards[from][to] = v
		}
	}
	return nil
}

func (s *sorter) bufferRange(from, to, keys int) fagus.Range {
	at := (from*s.node.Nodes() + to) * s.capacity
	return s.moving.Range(at, at+keys)
}

func (s *sorter) buffer(from, to int) []uint32 {
	return s.moving.Slice()[(from*s.node.Nodes()+to)*s.capacity:][:s.capacity]
}

// pass sorts all keys by one digit. Keys with equal digits stay in order.
func (s *sorter) pass(shift int) error {
	n := s.node
	s.node.Spend(fagus.Time(len(s.mine)) * keyTime)
	if err := n.During(n.Set(s.counts.WantFill()...), func() error {
		sortDigit(s.sorted, s.mine, s.counts.Mine(), shift)
		return nil
	}); err != nil {
		return err
	}
	// all counts are written, and the buffers of the last pass have been read
	if err := n.Barrier(); err != nil {
		return err
	}
	if err := n.During(n.Set(s.counts.WantAll(fagus.Shared)...), func() error {
		s.plan()
		return nil
	}); err != nil {
		return err
	}
	kept, err := s.send()
	if err != nil {
		return err
	}
	if err := n.Barrier(); err != nil { // all buffers are written, and all counts have been read
		return err
	}
	return s.receive(kept)
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

func (s *sorter) plan() {
	counts, sum, i := s.counts.Slice(), 0, 0
	for d := range digits {
		for r := range s.node.Nodes() {
			s.begin[i] = sum
			sum += int(counts[r*digits+d])
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

// send copies the sorted keys to the buffers of their destinations, and returns the keys that
// stay.
func (s *sorter) send() (kept []uint32, err error) {
	n := s.node
	amounts := s.amounts()
	var wants []fagus.Request
	for to, keys := range amounts {
		if to != n.Rank() && keys > 0 {
			wants = append(wants, fagus.Want(s.guards[n.Rank()][to], fagus.Exclusive).Writing(s.bufferRange(n.Rank(), to, keys)))
		}
	}
	err = n.During(n.Set(wants...), func() error {
		rest := s.sorted
		for to, keys := range amounts {
			if to == n.Rank() {
				kept = rest[:keys]
			} else {
				copy(s.buffer(n.Rank(), to), rest[:keys])
			}
			rest = rest[keys:]
		}
		return nil
	})
	return kept, err
}

// receive copies the received keys, and the kept keys, to their positions.
func (s *sorter) receive(kept []uint32) error {
	n := s.node
	var wants []fagus.Request
	for from := range n.Nodes() {
		if from != n.Rank() {
			wants = append(wants, fagus.Want(s.guards[from][n.Rank()], fagus.Shared))
		}
	}
	return n.During(n.Set(wants...), func() error {
		from := make([][]uint32, n.Nodes())
		for r := range from {
			if r == n.Rank() {
				from[r] = kept
			} else {
				from[r] = s.buffer(r, n.Rank())
			}
		}
		first, end := parts.Block(s.Keys, n.Nodes(), n.Rank())
		for i := range digits * n.Nodes() {
			lo, hi := max(s.begin[i], first), min(s.begin[i+1], end)
			if lo < hi {
				r := i % n.Nodes()
				copy(s.mine[lo-first:hi-first], from[r])
				from[r] = from[r][hi-lo:]
			}
		}
		return nil
	})
}
