package ep

import (
	"math"
	"testing"
)

// TestLog compares with math.Log, over what batch passes and next to the ends of the intervals.
func TestLog(t *testing.T) {
	worst, at := 0.0, 0.0
	check := func(x float64) {
		if d := math.Abs(log(x)-math.Log(x)) / max(1, math.Abs(math.Log(x))); d > worst {
			worst, at = d, x
		}
	}
	for x := math.Ldexp(1, -90); x <= 2; x *= 1.0001 {
		check(x)
	}
	for i := range 1 << logBits {
		edge := 0.5 + float64(i)/(2<<logBits)
		check(edge)
		check(math.Nextafter(edge, 0))
	}
	if worst > 5e-16 {
		t.Errorf("log(%g) is %g, want %g", at, log(at), math.Log(at))
	}
}

func BenchmarkBatch(b *testing.B) {
	var inRing [rings]int64
	for b.Loop() {
		batch(0, inRing[:])
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batchPairs, "ns/pair")
}
