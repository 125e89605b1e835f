package byhand

import (
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// lines are rows that one rank after another publishes, for all others to read in the phase behind: two, in turn. Who writes one
// knows that all have read, in the phase before, what it had.
type lines struct {
	*fagus.Array[float64]
	n      int
	guards [2]*fagus.SyncVar
}

func newLines(node *fagus.Node, name string, n int) (*lines, error) {
	a, err := fagus.NewArray[float64](node, name, 2*n)
	if err != nil {
		return nil, err
	}
	l := &lines{Array: a, n: n}
	for i := range l.guards {
		if l.guards[i], err = node.Bind(fmt.Sprintf("%s %d", name, i), a.Range(i*n, i*n+n)); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// line is where row k is.
func (l *lines) line(k int) []float64 { return l.Slice()[k%2*l.n:][:l.n] }

// read asks for row k, to read it.
func (l *lines) read(k int) fagus.Request { return fagus.Want(l.guards[k%2], fagus.Shared) }

// write asks for where row k will be, to write its elements from first on.
func (l *lines) write(k, first int) fagus.Request {
	return fagus.Want(l.guards[k%2], fagus.Exclusive).Writing(l.Range(k%2*l.n+first, k%2*l.n+l.n))
}

// steps is a computation on a matrix of order n in which step k takes row k and all others together. Ranks keep their rows to themselves;
// row k is published by its owner, in the phase of step k-1 as soon as it is what step k wants. Row 0 is rank 0's.
type steps struct {
	node   *fagus.Node
	matrix []float64
	n      int
	count  int // of steps

	items func(rank int) []int       // rows of a rank, in order
	owner func(i int) int            // the rank of a row
	first func(k int) int            // the first element of row k that is published
	back  func(i int) int            // how many elements of row i rank 0 does not have in the end, from the first on
	needs func(k int) bool           // whether this rank reads row k, if another has it
	do    func(k int, row []float64) // does step k to this rank's rows

	rows [][]float64 // by number, of this rank
}

// run does all steps, in a phase each, beside one in which the matrix is handed out, and one in which it is collected.
func (s *steps) run(name string) error {
	j := newJob(s.node, name)
	shared := share(j, "matrix", s.matrix)
	l, err := newLines(s.node, name+" line", s.n)
	if err != nil {
		return err
	}
	if err := j.hand(func(rank int) (reads, writes []piece) {
		for _, i := range s.items(rank) {
			reads = append(reads, piece{shared, i * s.n, i*s.n + s.n})
			writes = append(writes, piece{shared, i * s.n, i*s.n + s.back(i)})
		}
		return reads, writes
	}, func() {
		j.copyIn()
		s.publish(l, 0, s.matrix)
	}, s.publishes(l, 0)...); err != nil {
		return err
	}
	s.rows = make([][]float64, s.n)
	for k := range s.count {
		wants := s.publishes(l, k+1)
		if s.node.Rank() > 0 && (k == 0 || k == s.count-1) {
			wants = append(wants, j.want(k == s.count-1)...)
		}
		if s.reads(k) {
			wants = append(wants, l.read(k))
		}
		if err := during(s.node, func() {
			if k == 0 {
				s.take(shared.here())
			}
			s.step(l, k)
			if k == s.count-1 && s.node.Rank() > 0 {
				s.give(shared.Slice())
			}
		}, wants...); err != nil {
			return err
		}
		if k < s.count-1 { // after the last one collect does it
			if err := meet(s.node); err != nil {
				return err
			}
		}
	}
	return j.collect(nil)
}

// reads says whether this rank reads row k where it is published.
func (s *steps) reads(k int) bool { return s.owner(k) != s.node.Rank() && s.needs(k) }

// publishes asks for where row k will be, if this rank publishes it.
func (s *steps) publishes(l *lines, k int) []fagus.Request {
	if k >= s.count || s.owner(k) != s.node.Rank() || s.node.Nodes() == 1 {
		return nil
	}
	return []fagus.Request{l.write(k, s.first(k))}
}

// publish does it.
func (s *steps) publish(l *lines, k int, row []float64) {
	if len(s.publishes(l, k)) > 0 {
		copy(l.line(k)[s.first(k):], row[s.first(k):s.n])
	}
}

// take takes this rank's rows from the matrix: rank 0 leaves them there, the others will not hold it.
func (s *steps) take(matrix []float64) {
	for _, i := range s.items(s.node.Rank()) {
		s.rows[i] = matrix[i*s.n:][:s.n]
		if s.node.Rank() > 0 {
			s.rows[i] = append([]float64(nil), s.rows[i]...)
		}
	}
}

// give copies back what rank 0 does not have.
func (s *steps) give(matrix []float64) {
	for _, i := range s.items(s.node.Rank()) {
		copy(matrix[i*s.n:], s.rows[i][:s.back(i)])
	}
}

// step does step k, and publishes the next row.
func (s *steps) step(l *lines, k int) {
	switch {
	case s.owner(k) == s.node.Rank():
		s.do(k, s.rows[k])
	case s.needs(k):
		s.do(k, l.line(k))
	}
	s.publish(l, k+1, s.rows[min(k+1, s.n-1)])
}

// LU is [kernels.LU], with rows in turn. Only what is right of the diagonal is published, and rank 0 keeps it, so that of other ranks' rows only what is left of it moves back.
func LU(node *fagus.Node, a []float64, n int) error {
	if n < 2 {
		return nil // it is U
	}
	s := &steps{node: node, matrix: a, n: n, count: n - 1}
	s.items = func(rank int) []int { return parts.Cyclic(n, node.Nodes(), rank) }
	s.owner = func(i int) int { return i % node.Nodes() }
	s.first = func(k int) int { return k }
	s.back = func(i int) int {
		if i == n-1 {
			return n // it is not published
		}
		return i
	}
	mine := s.items(node.Rank())
	s.needs = func(k int) bool { return node.Rank() == 0 || len(mine) > 0 && mine[len(mine)-1] > k }
	s.do = func(k int, row []float64) {
		for _, i := range mine {
			if i <= k {
				continue
			}
			to := s.rows[i]
			f := to[k] / row[k]
			to[k] = f
			for j := k + 1; j < n; j++ {
				to[j] -= f * row[j]
			}
		}
		if node.Rank() == 0 {
			copy(a[k*n+k:k*n+n], row[k:])
		}
	}
	return s.run("LU")
}

// FloydWarshall is [kernels.FloydWarshall], with blocks of rows.
func FloydWarshall(node *fagus.Node, d []float64, n int) error {
	if n < 1 {
		return nil
	}
	s := &steps{node: node, matrix: d, n: n, count: n}
	s.items = func(rank int) (rows []int) {
		lo, hi := parts.Block(n, node.Nodes(), rank)
		for i := lo; i < hi; i++ {
			rows = append(rows, i)
		}
		return rows
	}
	s.owner = func(i int) int { return parts.Owner(n, node.Nodes(), i) }
	s.first = func(int) int { return 0 }
	s.back = func(int) int { return n }
	mine := s.items(node.Rank())
	s.needs = func(int) bool { return len(mine) > 0 }
	s.do = func(k int, row []float64) {
		for _, i := range mine {
			if i == k {
				continue
			}
			to := s.rows[i]
			for j := range to {
				to[j] = math.Min(to[j], to[k]+row[j])
			}
		}
	}
	return s.run("FloydWarshall")
}

// Solve is [kernels.Solve], with rows in turn. A rank gets the left half of its rows, and its right sides, one behind the other. Every unknown is
// told to all by a Reduce, as rank 0 wants them in any case: all other ranks give no bits.
func Solve(node *fagus.Node, l, x []float64, n int) error {
	j := newJob(node, "Solve")
	begin := make([]int, node.Nodes()+1) // where a rank's rows are in given; rank 0 has its own
	for rank := 1; rank < node.Nodes(); rank++ {
		begin[rank+1] = begin[rank]
		for _, i := range parts.Cyclic(n, node.Nodes(), rank) {
			begin[rank+1] += i + 2
		}
	}
	given := scratch[float64](j, "rows", begin[node.Nodes()])
	if err := j.hand(func(rank int) (reads, writes []piece) {
		return []piece{{given, begin[rank], begin[rank+1]}}, nil
	}, func() {
		for rank := 1; rank < node.Nodes(); rank++ {
			to := given.Slice()[begin[rank]:]
			for _, i := range parts.Cyclic(n, node.Nodes(), rank) {
				copy(to, l[i*n:][:i+1])
				to[i+1] = x[i]
				to = to[i+2:]
			}
		}
	}); err != nil {
		return err
	}
	rows := make([][]float64, n)
	mine := parts.Cyclic(n, node.Nodes(), node.Rank())
	if err := j.compute(func() {
		if node.Rank() == 0 {
			for _, i := range mine {
				rows[i] = l[i*n:][:i+1]
			}
			return
		}
		x = make([]float64, n)
		from := append([]float64(nil), given.Slice()[begin[node.Rank()]:begin[node.Rank()+1]]...)
		for _, i := range mine {
			rows[i], x[i], from = from[:i+1], from[i+1], from[i+2:]
		}
	}); err != nil {
		return err
	}
	return substitute(node, rows, x)
}

// substitute solves a system of which this rank has rows, by number, and their right sides in x.
func substitute(node *fagus.Node, rows [][]float64, x []float64) error {
	for j := range rows {
		var bits uint64
		if rows[j] != nil {
			bits = math.Float64bits(x[j] / rows[j][j])
		}
		bits, err := fagus.Reduce(node, bits, func(a, b uint64) uint64 { return a | b })
		if err != nil {
			return err
		}
		x[j] = math.Float64frombits(bits)
		for i := j + 1; i < len(rows); i++ {
			if rows[i] != nil {
				x[i] -= rows[i][j] * x[j]
			}
		}
	}
	return nil
}
