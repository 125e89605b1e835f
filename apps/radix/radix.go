package radix

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

const (
	digitBits = 11
	digits    = 1 << digitBits
	// Passes is how often all keys move.
	Passes  = (32 + digitBits - 1) / digitBits
	maxKeys = 1 << 28
)

// Config describes a run.
type Config struct {
	Keys int    // of all ranks
	Seed uint64 // is where they come from
	// Progress, if not nil, is called at every rank after each of its Passes with 1.
	Progress func(passes int)
	// Spoil makes one key of the last rank that has any wrong: for those who want to see that it is found.
	Spoil bool
}

// Validate reports what cannot be run.
func (c *Config) Validate() error {
	if c.Keys < 1 || c.Keys > maxKeys {
		return fmt.Errorf("radix: %d keys: want 1 to %d", c.Keys, maxKeys)
	}
	return nil
}

// Result is what a rank has in the end.
type Result struct {
	// Wrong is how many keys are less than the one before, and one more for each of number, sum and hash
	// that is not what it should be. Only rank 0 knows.
	Wrong int
	// Time is what the passes took this rank.
	Time fagus.Time
}

// keyTime is about what a pass takes for a key on a Pentium III at 950 MHz: a count, a store to one of
// 2048 places, most of which miss the first cache, and two copies.
const keyTime = 60 * fagus.Nanosecond

// sorter is the program's data.
type sorter struct {
	Config
	node   *fagus.Node
	counts *parts.Blocks[int32] // of every digit, by rank
	moving *fagus.Array[uint32] // room keys for each pair of ranks
	guards [][]*fagus.SyncVar   // of what moves, by sender and receiver
	room   int                  // as many as a rank may have
	mine   []uint32             // this rank's keys, in the order of the digits so far
	sorted []uint32             // by one more digit
	begin  []int                // where the keys of digit d of rank r go: from begin[d*ranks+r] up to the next
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
			if s.Progress != nil {
				s.Progress(1)
			}
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	if last := min(cfg.Keys, n.Nodes()) - 1; cfg.Spoil && n.Rank() == last {
		spoil(s.mine)
	}
	r.Wrong, err = s.verify()
	return r, err
}

// fill makes the keys from number lo on.
func (c *Config) fill(keys []uint32, lo int) {
	for i := range keys {
		keys[i] = key(c.Seed, lo+i)
	}
}

// spoil makes a key wrong.
func spoil(keys []uint32) { keys[len(keys)/2]++ }

// declare makes the arrays and binds the variables, the same at every rank.
func (s *sorter) declare() (err error) {
	n := s.node
	if s.counts, err = parts.NewBlocks[int32](n, "counts", n.Nodes(), digits); err != nil {
		return err
	}
	s.room = (s.Keys + n.Nodes() - 1) / n.Nodes()
	if s.moving, err = fagus.NewArray[uint32](n, "moving", n.Nodes()*n.Nodes()*s.room); err != nil {
		return err
	}
	s.guards = make([][]*fagus.SyncVar, n.Nodes())
	for from := range s.guards {
		s.guards[from] = make([]*fagus.SyncVar, n.Nodes())
		for to := range s.guards[from] {
			if to == from {
				continue
			}
			v, err := n.Bind(fmt.Sprintf("from %d to %d", from, to), s.moves(from, to, s.room))
			if err != nil {
				return err
			}
			s.guards[from][to] = v
		}
	}
	return nil
}

// moves is where so many keys are on their way.
func (s *sorter) moves(from, to, keys int) fagus.Range {
	at := (from*s.node.Nodes() + to) * s.room
	return s.moving.Range(at, at+keys)
}

// way is the same in this rank's memory.
func (s *sorter) way(from, to int) []uint32 {
	return s.moving.Slice()[(from*s.node.Nodes()+to)*s.room:][:s.room]
}

// pass sorts all keys by one digit, and leaves equal ones in their order.
func (s *sorter) pass(shift int) error {
	n := s.node
	s.node.Spend(fagus.Time(len(s.mine)) * keyTime)
	if err := n.During(n.Set(s.counts.WantFill()...), func() error {
		sortDigit(s.sorted, s.mine, s.counts.Mine(), shift)
		return nil
	}); err != nil {
		return err
	}
	if err := n.Barrier(); err != nil { // all counts are there, and what moved before has been read
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
	if err := n.Barrier(); err != nil { // all has been sent, and all counts have been read
		return err
	}
	return s.receive(kept)
}

// sortDigit sorts the keys of from to to by one digit, and says how many of each there are, unless counts
// is nil.
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

// plan finds from the counts where all keys go.
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

// amounts is how many of this rank's keys go to each rank. Sorted as they are, these follow each other.
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

// send puts the sorted keys on their way, and returns those that stay.
func (s *sorter) send() (kept []uint32, err error) {
	n := s.node
	amounts := s.amounts()
	var wants []fagus.Request
	for to, keys := range amounts {
		if to != n.Rank() && keys > 0 {
			wants = append(wants, fagus.Want(s.guards[n.Rank()][to], fagus.Exclusive).Writing(s.moves(n.Rank(), to, keys)))
		}
	}
	err = n.During(n.Set(wants...), func() error {
		rest := s.sorted
		for to, keys := range amounts {
			if to == n.Rank() {
				kept = rest[:keys]
			} else {
				copy(s.way(n.Rank(), to), rest[:keys])
			}
			rest = rest[keys:]
		}
		return nil
	})
	return kept, err
}

// receive puts the keys that come, and those that stay, where they go.
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
				from[r] = s.way(r, n.Rank())
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
