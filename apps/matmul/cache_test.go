package matmul

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// lru is a set-associative cache with LRU replacement. As a TLB it caches page numbers.
type lru struct {
	sets   [][]int // by set: the blocks present, the one used last first
	ways   int
	block  int // bytes of a line or page
	misses int
}

func newLRU(blocks, ways, block int) *lru {
	return &lru{sets: make([][]int, blocks/ways), ways: ways, block: block}
}

// use accesses an address and reports whether its block was present. It is afterwards.
func (c *lru) use(addr int) bool {
	n := addr / c.block
	set := &c.sets[n%len(c.sets)]
	at := slices.Index(*set, n)
	hit := at >= 0
	if !hit {
		c.misses++
		if len(*set) < c.ways {
			*set = append(*set, n)
		}
		at = len(*set) - 1 // the block that was used longest ago makes room
	}
	copy((*set)[1:at+1], (*set)[:at])
	(*set)[0] = n
	return hit
}

const (
	pageBytes = 4096
	elemBytes = 8
)

// machine has the caches of a Pentium III with its L2 cache on the chip, as at 950 MHz. Their
// sizes are not from the papers but from Intel's table of the descriptors that CPUID(2) returns
// (IA-32 Software Developer's Manual, volume 2, CPUID): 0CH, L1 data cache of 16 KB, 4-way, lines
// of 32 bytes; 82H, L2 cache of 256 KB, 8-way, lines of 32 bytes; 03H, data TLB of 64 entries for
// pages of 4 KB, 4-way. Replacement is assumed to be LRU. The TLB's walks use no cache here, and
// write-backs are not counted.
type machine struct {
	l1, l2, tlb *lru
	frames      []int // by page: its physical page
}

// newMachine returns a machine with empty caches. Physical pages are contiguous if random is nil.
func newMachine(pages int, random *rand.Rand) *machine {
	m := &machine{
		l1:  newLRU(16<<10/lineBytes, 4, lineBytes),
		l2:  newLRU(cacheBytes/lineBytes, cacheWays, lineBytes),
		tlb: newLRU(64, 4, pageBytes),
	}
	for p := range pages {
		m.frames = append(m.frames, p)
	}
	if random != nil {
		random.Shuffle(pages, func(i, j int) { m.frames[i], m.frames[j] = m.frames[j], m.frames[i] })
	}
	return m
}

// use accesses a virtual address. Stores allocate lines like loads.
func (m *machine) use(addr int) {
	m.tlb.use(addr)
	physical := m.frames[addr/pageBytes]*pageBytes + addr%pageBytes
	if !m.l1.use(physical) {
		m.l2.use(physical)
	}
}

// misses are the numbers of misses of each kind in some inner steps.
type misses struct{ l1, memory, tlb float64 }

// plainLoop runs the accesses of the plain product C = A x B of n x n doubles, row-major, one
// after another in memory:
//
//	for i { for j { for k { sum += a[i*n+k] * b[k*n+j] }; c[i*n+j] = sum } }
//
// It returns the misses per inner step for some elements of C, after others to warm up.
func (m *machine) plainLoop(n, warm, elements int) misses {
	const a = 0
	b, c := n*n*elemBytes, 2*n*n*elemBytes
	for at := range warm + elements {
		if at == warm {
			m.l1.misses, m.l2.misses, m.tlb.misses = 0, 0, 0
		}
		i, j := at/n, at%n
		for k := range n {
			m.use(a + (i*n+k)*elemBytes)
			m.use(b + (k*n+j)*elemBytes)
		}
		m.use(c + at*elemBytes)
	}
	steps := float64(elements * n)
	return misses{float64(m.l1.misses) / steps, float64(m.l2.misses) / steps, float64(m.tlb.misses) / steps}
}

// TestPlainLoopMissesEveryStep shows that on the Pentium III of the Fagus paper each inner step of
// the plain triple loop takes one line of B from memory and one TLB miss, at all sizes of the
// paper. At n = 64, where B fits in the L2 cache and its pages in the TLB, hardly any step does.
//
// From n = 512 on the elements of a column of B are whole pages apart. Each is on its own page, so
// 64 entries of the TLB are too few. Within their pages they are at the same place, so their lines
// share 8 of the 1024 sets of the L2 cache, wherever the pages are. These sets hold 64 lines of at
// least 512, so no line stays until the next column needs it.
func TestPlainLoopMissesEveryStep(t *testing.T) {
	for _, tt := range []struct {
		n, warm, elements int // elements of C
		want              float64
	}{
		{64, 64, 2 * 64, 0},
		{512, 512, 2 * 512, 1},
		{1024, 128, 512, 1},
		{2048, 32, 64, 1},
	} {
		for seed, pages := range []string{"contiguous", "scattered"} {
			var random *rand.Rand
			if seed > 0 {
				random = rand.New(rand.NewPCG(uint64(seed), uint64(tt.n)))
			}
			t.Run(fmt.Sprintf("n=%d/%s", tt.n, pages), func(t *testing.T) {
				total := 3 * tt.n * tt.n * elemBytes
				got := newMachine((total+pageBytes-1)/pageBytes, random).plainLoop(tt.n, tt.warm, tt.elements)
				t.Logf("misses per step: L1 %.4f, L2 %.4f (lines from memory), TLB %.4f", got.l1, got.memory, got.tlb)
				for what, x := range map[string]float64{"lines from memory": got.memory, "TLB misses": got.tlb} {
					if x < tt.want-0.03 || x > tt.want+0.03 {
						t.Errorf("%s per step: %.4f, want %.0f within 0.03", what, x, tt.want)
					}
				}
			})
		}
	}
}

func TestLRU(t *testing.T) {
	c := newLRU(4, 2, 10) // two sets of two ways: even and odd blocks
	for i, step := range []struct {
		block int
		hit   bool
	}{
		{0, false}, {2, false}, {0, true}, {1, false}, {4, false}, // block 2 makes room for 4
		{0, true}, {2, false}, {4, false}, {1, true}, {2, true}, {0, false},
	} {
		if hit := c.use(step.block*10 + 3); hit != step.hit {
			t.Errorf("access %d, of block %d: hit %t, want %t", i, step.block, hit, step.hit)
		}
	}
	if c.misses != 7 {
		t.Errorf("%d misses, want 7", c.misses)
	}
}

// TestMissesOfTheLoop compares the misses per step that Cost counts with the misses of the
// simulated caches, also at sizes where a line stays in the cache until all its columns are used.
func TestMissesOfTheLoop(t *testing.T) {
	for _, n := range []int{64, 100, 200, 250, 500, 512, 1000, 1024, 1500, 2048} {
		m := newMachine((3*n*n*elemBytes+pageBytes-1)/pageBytes, nil)
		warm := min(n, 200*200/n+8)
		got := m.plainLoop(n, warm, 2*warm).memory
		_, misses := Cost(n, n, n, elemBytes)
		if want := float64(misses) / float64(n*n*n); got < want-0.03 || got > want+0.03 {
			t.Errorf("n = %d: %.3f lines from memory a step, Cost says %.3f", n, got, want)
		}
	}
	if compute, misses := Cost(0, 512, 512, elemBytes); compute != 0 || misses != 0 {
		t.Errorf("no rows cost %v and %d misses", compute, misses)
	}
}
