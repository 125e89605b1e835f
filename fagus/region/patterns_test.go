package region

import (
	"fmt"
	"runtime"
	"testing"
)

// pattern declares the accesses of a kernel of order n, as fagusc does.
type pattern struct {
	name  string
	sizes []int
	plan  func(nodes, n int) *Plan
}

var patterns = []pattern{
	{"gramschmidt", []int{64, 128, 512}, gramschmidt},
	{"lu", []int{128, 512, 1024}, lu},
	{"ludcmp", []int{32, 64}, ludcmp},
	{"cholesky", []int{128, 256, 512}, cholesky},
	{"jacobi2d", []int{500, 2000}, jacobi},
	{"wavefront", []int{500, 2000}, wavefront},
}

// gramschmidt: for each k, the owner of column k of a makes column k of q, and all ranks read it
// to change their own columns of a, and row k of r.
func gramschmidt(nodes, n int) *Plan {
	const a, q, r = 0, 1, 2
	p := NewPlan(nodes, n*n, n*n, n*n)
	p.Input(a)
	for k := range n {
		s := p.Step()
		owner := p.Owner(a, k)
		p.Alone(s, owner, 1)
		p.Reads(s, owner, a).Strided(k, 1, n, n)
		p.Overwrites(s, owner, r).Add(k*n+k, k*n+k+1)
		p.Overwrites(s, owner, q).Strided(k, 1, n, n)
		s = p.Step()
		p.Cyclic(s, k+1, n, 1)
		for rank := range nodes {
			part := p.Iterations(s, rank)
			if part.Count() > 0 {
				p.Reads(s, rank, q).Strided(k, 1, n, n)
			}
			p.Overwrites(s, rank, r).Strided(k*n+part.First, 1, part.Count(), part.By)
			grid(p.Reads(s, rank, a), part.First, 1, n, n, part.Count(), part.By)
			grid(p.Writes(s, rank, a), part.First, 1, n, n, part.Count(), part.By)
		}
	}
	p.Output(q, r)
	return p
}

func lu(nodes, n int) *Plan {
	p := NewPlan(nodes, n*n)
	p.Input(0)
	for k := range n - 1 {
		s := p.Step()
		p.Cyclic(s, k+1, n, 1)
		for rank := range nodes {
			part := p.Iterations(s, rank)
			first, count, pitch := part.First*n, part.Count(), part.By*n
			grid(p.Reads(s, rank, 0), first+k, 1, 1, 1, count, pitch)
			if count > 0 {
				p.Reads(s, rank, 0).Add(k*n+k, k*n+n)
			}
			grid(p.Overwrites(s, rank, 0), first+k, 1, 1, 1, count, pitch)
			grid(p.Reads(s, rank, 0), first+k+1, n-k-1, 1, 1, count, pitch)
			grid(p.Writes(s, rank, 0), first+k+1, n-k-1, 1, 1, count, pitch)
		}
	}
	p.Output(0)
	return p
}

// ludcmp has two steps for each element: all ranks add up their terms, then the owner of the
// element changes it.
func ludcmp(nodes, n int) *Plan {
	const a, sums = 0, 1
	p := NewPlan(nodes, n*n, nodes)
	p.Input(a)
	for i := range n {
		for j := range n {
			s, terms := p.Step(), min(i, j)
			p.Block(s, 0, terms, 1, 0, terms)
			for rank := range nodes {
				part := p.Iterations(s, rank)
				p.Reads(s, rank, a).Strided(i*n+part.First, 1, part.Count(), part.By)
				p.Reads(s, rank, a).Strided(part.First*n+j, 1, part.Count(), part.By*n)
				p.Overwrites(s, rank, sums).Add(rank, rank+1)
			}
			s = p.Step()
			owner := p.Owner(a, i*n+j)
			p.Alone(s, owner, 1)
			p.Reads(s, owner, sums).Add(0, nodes)
			p.Reads(s, owner, a).Add(i*n+j, i*n+j+1)
			p.Overwrites(s, owner, a).Add(i*n+j, i*n+j+1)
		}
	}
	p.Output(a)
	return p
}

func cholesky(nodes, n int) *Plan {
	p := NewPlan(nodes, n*n)
	p.Input(0)
	for k := range n {
		s := p.Step()
		owner := p.Owner(0, k*n+k)
		p.Alone(s, owner, 1)
		p.Reads(s, owner, 0).Add(k*n+k, k*n+k+1)
		p.Overwrites(s, owner, 0).Add(k*n+k, k*n+k+1)
		s = p.Step()
		p.Cyclic(s, k+1, n, 1)
		for rank := range nodes {
			part := p.Iterations(s, rank)
			if part.Count() > 0 {
				p.Reads(s, rank, 0).Add(k*n+k, k*n+k+1)
			}
			grid(p.Writes(s, rank, 0), part.First*n+k, 1, 1, 1, part.Count(), part.By*n)
		}
		s = p.Step()
		p.Cyclic(s, k+1, n, 1)
		for rank := range nodes {
			part := p.Iterations(s, rank)
			if part.Count() > 0 {
				p.Reads(s, rank, 0).Strided((k+1)*n+k, 1, n-k-1, n)
			}
			for i := part.First; i < part.End; i += part.By {
				p.Writes(s, rank, 0).Add(i*n+k+1, i*n+i+1)
			}
		}
	}
	p.Output(0)
	return p
}

func jacobi(nodes, n int) *Plan {
	p := NewPlan(nodes, n*n, n*n)
	p.Input(0, 1)
	p.Repeat()
	for from := range 2 {
		s := p.Step()
		p.Block(s, 1, n-1, 1, 1, n-1)
		for rank := range nodes {
			part := p.Iterations(s, rank)
			for _, at := range []int{-n + 1, n + 1, 0, 2} {
				grid(p.Reads(s, rank, from), part.First*n+at, n-2, 1, 1, part.Count(), n)
			}
			grid(p.Overwrites(s, rank, 1-from), part.First*n+1, n-2, 1, 1, part.Count(), n)
		}
	}
	p.End()
	p.Output(0, 1)
	return p
}

// wavefront: each rank has a block of rows, and works on one of 32 tiles of columns in a step, two
// tiles behind the rank above.
func wavefront(nodes, n int) *Plan {
	p := NewPlan(nodes, n*n)
	p.Input(0)
	p.Repeat()
	const tiles = 32
	for wave := range tiles + 2*nodes - 2 {
		s := p.Step()
		p.Block(s, 1, n-1, 1, 1, n-1)
		for rank := range nodes {
			if tile := wave - 2*rank; 0 <= tile && tile < tiles {
				part := p.Iterations(s, rank)
				lo, hi := 1+(n-2)*tile/tiles, 1+(n-2)*(tile+1)/tiles
				grid(p.Reads(s, rank, 0), part.First*n-n+lo-1, hi-lo+2, 1, 1, part.Count()+2, n)
				grid(p.Writes(s, rank, 0), part.First*n+lo, hi-lo, 1, 1, part.Count(), n)
			}
		}
	}
	p.End()
	p.Output(0)
	return p
}

// BenchmarkPlanning measures the time from the first Step to the variables and phases.
func BenchmarkPlanning(b *testing.B) {
	for _, at := range patterns {
		for _, n := range at.sizes {
			for _, nodes := range []int{2, 32, 128} {
				b.Run(fmt.Sprintf("%s/n=%d/nodes=%d", at.name, n, nodes), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						derive(at.plan(nodes, n))
					}
				})
			}
		}
	}
}

func grid(r Region, lo, run, count, stride, rows, pitch int) {
	r.Grid(lo, run, count, stride, rows, pitch)
}

// derive returns the number of variables and of phases.
func derive(p *Plan) (variables, phases int) {
	all, err := groups(p)
	if err != nil {
		panic(err)
	}
	for first := 0; first < len(p.steps); phases++ {
		last := first
		for last+1 < len(p.steps) && p.together(first, last+1) {
			last++
		}
		first = last + 1
	}
	return len(all), phases
}

// TestPlanMemory: a plan needs memory for what several ranks use, not for each step, rank and run.
func TestPlanMemory(t *testing.T) {
	const mebi = 1 << 20
	for _, test := range []struct {
		name  string
		plan  func(nodes, n int) *Plan
		nodes int
		n     int
		most  uint64 // bytes allocated in all
	}{
		{"gramschmidt", gramschmidt, 2, 128, 10 * mebi},
		{"lu", lu, 32, 256, 32 * mebi},
		{"jacobi2d", jacobi, 128, 1000, 6 * mebi},
		{"wavefront", wavefront, 2, 1000, 1 * mebi},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		variables, phases := derive(test.plan(test.nodes, test.n))
		runtime.ReadMemStats(&after)
		used := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %d variables, %d phases, %d bytes", test.name, variables, phases, used)
		if used > test.most {
			t.Errorf("%s: order %d on %d ranks: allocated %d bytes, want %d at most", test.name, test.n, test.nodes, used, test.most)
		}
	}
}
