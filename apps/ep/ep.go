package ep

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

const (
	seed       = 271828183
	batchPairs = 1 << 16
	rings      = 10
	tolerance  = 1e-8
)

// problem describes a class: it has 2^m pairs, and the other fields are the reference results.
type problem struct {
	m          int
	sx, sy     float64 // the reference of NPB up to 3.4.1
	absX, absY float64 // the reference of NPB 3.4.2
	pairs      float64
}

func problemOf(c npb.Class) problem {
	switch c {
	case npb.S:
		return problem{24, -3.247834652034740e3, -6.958407078382297e3, 1.051299420395306e7, 1.051517131857535e7, 13176389}
	case npb.W:
		return problem{25, -2.863319731645753e3, -6.320053679109499e3, 2.102505525182392e7, 2.103162209578822e7, 26354769}
	case npb.B:
		return problem{30, 4.033815542441498e4, -2.660669192809235e4, 6.728927543423024e8, 6.728951822504275e8, 843345606}
	case npb.C:
		return problem{32, 4.764367927995374e4, -8.084072988043731e4, 2.691444083862931e9, 2.691519118724585e9, 3373275903}
	}
	return problem{28, -4.295875165629892e3, -1.580732573678431e4, 1.682235632304711e8, 1.682195123368299e8, 210832767}
}

// Units returns the number of batches in a class.
func Units(c npb.Class) int { return 1 << problemOf(c).m / batchPairs }

type sums [4]float64

// Run runs the benchmark. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg npb.Config) (verify.Result, error) {
	p := problemOf(cfg.Class)
	counts, err := parts.NewSums[int64](n, "counts", rings)
	if err != nil {
		return verify.Result{}, err
	}
	exact, err := parts.NewExactSums(n, "sums", len(sums{}))
	if err != nil {
		return verify.Result{}, err
	}
	inRing, all := make([]int64, rings), make([]parts.Exact, len(sums{}))
	parts.KeepSums(n, "counts", inRing)
	parts.KeepExact(n, "sums", all)
	n.Resume()
	left := Units(cfg.Class) - n.Begun()
	r := verify.Result{Operations: float64(left) * batchPairs} // NPB counts one operation per pair
	r.Time, err = parts.Timed(n, func() error {
		for first, end := range n.Rounds(Units(cfg.Class)) {
			lo, hi := parts.Block(end-first, n.Nodes(), n.Rank())
			for b := first + lo; b < first+hi && n.Err() == nil; b++ {
				s := batch(b, inRing)
				for i := range all {
					all[i].Add(s[i])
				}
				n.Spend(batchPairs * pairTime)
				cfg.Advance(1)
				n.DefaultProgress(b+1-first-lo, hi-lo)
			}
		}
		cfg.PlantLast(n, Units(cfg.Class), func() { all[0].Add(1) })
		counts.Add(inRing)
		return exact.Add(all)
	})
	if err != nil || n.Rank() != 0 {
		return r, err
	}
	r.Lines, r.Checks = lines(inRing), checks(p, inRing, all)
	return r, nil
}

// pairTime is roughly what a pair costs on a Pentium III at 950 MHz: two random numbers in double
// precision, a comparison, and for 79 % of the pairs a logarithm (100 cycles), a square root (40)
// and a division (40).
const pairTime = 260 * fagus.Nanosecond

func lines(inRing []int64) (out []string) {
	for ring, count := range inRing {
		out = append(out, fmt.Sprintf("ring %d: %d pairs", ring, count))
	}
	return out
}

func checks(p problem, inRing []int64, all []parts.Exact) []verify.Check {
	pairs := int64(0)
	for _, count := range inRing {
		pairs += count
	}
	return []verify.Check{
		{Name: "sum of x", Got: all[0].Float64(), Want: p.sx, Tolerance: tolerance},
		{Name: "sum of y", Got: all[1].Float64(), Want: p.sy, Tolerance: tolerance},
		{Name: "sum of |x|", Got: all[2].Float64(), Want: p.absX, Tolerance: tolerance},
		{Name: "sum of |y|", Got: all[3].Float64(), Want: p.absY, Tolerance: tolerance},
		{Name: "pairs", Got: float64(pairs), Want: p.pairs},
	}
}
