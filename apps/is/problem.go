package is

import (
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/fagus"
)

const (
	seed       = 314159265
	iterations = 10
	tests      = 5
	// most is the number of passes if no test fails: tests per iteration, and the final sort.
	most = iterations*tests + 1
)

type problem struct {
	keys, largest int        // the number of keys, and the exclusive upper bound of their values
	shift         int        // keys with equal key>>shift share a bucket
	index         [tests]int // the positions of the keys whose ranks are verified
	rank          [tests]int // their reference ranks; see want
	// In iteration i the tests in rising expect rank + i - early, other tests rank - i + late.
	rising      uint // one bit per test
	early, late int
}

func problemOf(c npb.Class) problem {
	switch c {
	case npb.S:
		return problem{1 << 16, 1 << 11, 2, [tests]int{48427, 17148, 23627, 62548, 4431},
			[tests]int{0, 18, 346, 64917, 65463}, 0b00111, 0, 0}
	case npb.W:
		return problem{1 << 20, 1 << 16, 6, [tests]int{357773, 934767, 875723, 898999, 404505},
			[tests]int{1249, 11698, 1039987, 1043896, 1048018}, 0b00011, 2, 0}
	case npb.B:
		return problem{1 << 25, 1 << 21, 11, [tests]int{41869, 812306, 5102857, 18232239, 26860214},
			[tests]int{33422937, 10244, 59149, 33135281, 99}, 0b10110, 0, 0}
	case npb.C:
		return problem{1 << 27, 1 << 23, 13, [tests]int{44172927, 72999161, 74326391, 129606274, 21736814},
			[tests]int{61147, 882988, 266290, 133997595, 133525895}, 0b00111, 0, 0}
	}
	return problem{1 << 23, 1 << 19, 9, [tests]int{2112377, 662041, 5336171, 3642833, 4250760},
		[tests]int{104, 17523, 123928, 8288932, 8388264}, 0b00111, 1, 1}
}

func (p *problem) want(test, iteration int) int {
	if p.rising>>test&1 == 1 {
		return p.rank[test] + iteration - p.early
	}
	return p.rank[test] - iteration + p.late
}

// operations returns the operations of the timed section: NPB counts one per key and iteration.
func (p *problem) operations() float64 { return iterations * float64(p.keys) }

func (p *problem) buckets() int { return p.largest >> p.shift }

func (p *problem) generate(lo, hi int) []int32 {
	random := npb.Random(seed).Skip(4 * uint64(lo))
	keys, scale := make([]int32, hi-lo), float64(p.largest/4)
	for i := range keys {
		x := random.Next()
		x += random.Next()
		x += random.Next()
		x += random.Next()
		keys[i] = int32(scale * x)
	}
	return keys
}

// change replaces an iteration's two keys, if they are in keys, a block from position first on.
func (p *problem) change(keys []int32, first, iteration int) {
	set := func(number, key int) {
		if i := number - first; 0 <= i && i < len(keys) {
			keys[i] = int32(key)
		}
	}
	set(iteration, iteration)
	set(iteration+iterations, p.largest-iteration)
}

// Approximate costs on a Pentium III at 950 MHz: of putting a key into a message, of counting a key
// (a cache miss), and of accumulating the count of one value.
const (
	sendTime  = 20 * fagus.Nanosecond
	countTime = 30 * fagus.Nanosecond
	sumTime   = 5 * fagus.Nanosecond
)
