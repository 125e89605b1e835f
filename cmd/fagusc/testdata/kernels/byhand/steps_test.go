package byhand

import (
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// lines are two buffers for rows that ranks publish in turn, for all others to read in the next
// phase. The writer of a buffer knows that all ranks read its previous row in the phase before.
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

// line returns the buffer of row k.
func (l *lines) line(k int) []float64 { return l.Slice()[k%2*l.n:][:l.n] }

// read returns the request for reading row k.
func (l *lines) read(k int) fagus.Request { return fagus.Want(l.guards[k%2], fagus.Shared) }

// write returns the request for writing row k from element first on.
func (l *lines) write(k, first int) fagus.Request {
	return fagus.Want(l.guards[k%2], fagus.Exclusive).Writing(l.Range(k%2*l.n+first, k%2*l.n+l.n))
}

// packed holds rows of a matrix that rank 0 distributes. The rows of one rank are contiguous, so
// that they move as one range.
type packed struct {
	*shared[float64]
	begin []int // start of each rank's rows, then the end of all rows; rank 0 has no rows here
}

// pack makes a packed array in which row i has size(i) elements.
func pack(j *job, items func(rank int) []int, size func(i int) int) *packed {
	p := &packed{begin: make([]int, j.node.Nodes()+1)}
	for rank := 1; rank < j.node.Nodes(); rank++ {
		p.begin[rank+1] = p.begin[rank]
		for _, i := range items(rank) {
			p.begin[rank+1] += size(i)
		}
	}
	p.shared = scratch[float64](j, "rows", p.begin[j.node.Nodes()])
	return p
}

// of returns the elements of a rank.
func (p *packed) of(rank int) []float64 { return p.Slice()[p.begin[rank]:p.begin[rank+1]] }

// steps is a computation on a matrix of order n in which step k combines row k with all others.
// Ranks keep their rows private; the owner of row k publishes it in the phase of step k-1, as soon
// as it is complete. Rank 0 owns row 0.
type steps struct {
	node   *fagus.Node
	matrix []float64
	n      int
	count  int // number of steps

	items func(rank int) []int       // the rows of a rank, in order
	owner func(i int) int            // the owner of a row
	first func(k int) int            // the first element of row k that is published
	back  func(i int) int            // number of leading elements of row i that return to rank 0
	needs func(k int) bool           // whether this rank reads row k of another owner
	do    func(k int, row []float64) // applies step k to this rank's rows

	lines *lines
	rows  [][]float64 // this rank's rows, by number
}

// run distributes the matrix, executes the steps and collects the matrix, with one phase for each
// of these and for each step.
func (s *steps) run(name string) (err error) {
	j, me := newJob(s.node, name), s.node.Rank()
	if s.lines, err = newLines(s.node, j.name+" line", s.n); err != nil {
		return err
	}
	given := pack(j, s.items, func(int) int { return s.n })
	if err := j.hand(func(rank int) (reads, writes []piece) {
		lo := given.begin[rank]
		return []piece{given.part(lo, given.begin[rank+1])}, []piece{given.part(lo, lo+s.height(rank))}
	}, func() {
		for rank := 1; rank < s.node.Nodes(); rank++ {
			to := given.of(rank)
			for at, i := range s.items(rank) {
				copy(to[at*s.n:], s.matrix[i*s.n:][:s.n])
			}
		}
		s.publish(0, s.matrix)
	}, s.publishes(0)...); err != nil {
		return err
	}
	for k := range s.count {
		last := k == s.count-1
		wants := s.wants(k)
		if me > 0 && (k == 0 || last) {
			wants = append(wants, j.want(last)...)
		}
		if err := during(s.node, func() {
			if k == 0 {
				s.take(given)
			}
			s.step(k)
			if last && me > 0 {
				s.give(me, given.of(me), func(row, packed []float64) { copy(packed, row) })
			}
		}, wants...); err != nil {
			return err
		}
		if !last { // after the last step collect calls meet
			if err := s.node.Fence(); err != nil {
				return err
			}
		}
	}
	return j.collect(func(rank int) {
		s.give(rank, given.of(rank), func(row, packed []float64) { copy(row, packed) })
	})
}

// wants returns the requests for step k: for row k, if this rank reads the published row, and for
// publishing row k+1.
func (s *steps) wants(k int) []fagus.Request {
	wants := s.publishes(k + 1)
	if s.owner(k) != s.node.Rank() && s.needs(k) {
		wants = append(wants, s.lines.read(k))
	}
	return wants
}

// publishes returns the request for publishing row k, if this rank owns it.
func (s *steps) publishes(k int) []fagus.Request {
	if k >= s.count || s.owner(k) != s.node.Rank() || s.node.Nodes() == 1 {
		return nil
	}
	return []fagus.Request{s.lines.write(k, s.first(k))}
}

// publish copies a row to its buffer.
func (s *steps) publish(k int, row []float64) {
	if len(s.publishes(k)) > 0 {
		copy(s.lines.line(k)[s.first(k):], row[s.first(k):s.n])
	}
}

// take sets this rank's rows; at rank 0 they stay in the matrix.
func (s *steps) take(given *packed) {
	s.rows = make([][]float64, s.n)
	me := s.node.Rank()
	from := append([]float64(nil), given.of(me)...)
	for at, i := range s.items(me) {
		if me == 0 {
			s.rows[i] = s.matrix[i*s.n:][:s.n]
		} else {
			s.rows[i] = from[at*s.n:][:s.n]
		}
	}
}

// height returns the number of elements that a rank returns to rank 0.
func (s *steps) height(rank int) (size int) {
	for _, i := range s.items(rank) {
		size += s.back(i)
	}
	return size
}

// give calls f with the part of each row that a rank returns, and the packed copy of that part.
func (s *steps) give(rank int, packed []float64, f func(row, packed []float64)) {
	for _, i := range s.items(rank) {
		size := s.back(i)
		row := s.rows[i]
		if rank != s.node.Rank() {
			row = s.matrix[i*s.n:]
		}
		f(row[:size], packed[:size])
		packed = packed[size:]
	}
}

// step executes step k and publishes the next row.
func (s *steps) step(k int) {
	switch {
	case s.owner(k) == s.node.Rank():
		s.do(k, s.rows[k])
	case s.needs(k):
		s.do(k, s.lines.line(k))
	}
	s.publish(k+1, s.rows[min(k+1, s.n-1)])
}

// LU is [kernels.LU], with cyclic rows. The owner publishes a row from the diagonal on, and rank 0
// keeps that part, so that only the part left of the diagonal returns.
func LU(node *fagus.Node, a []float64, n int) error {
	if n < 2 {
		return nil // the matrix is U already
	}
	s := &steps{node: node, matrix: a, n: n, count: n - 1}
	s.items = func(rank int) []int { return parts.Cyclic(n, node.Nodes(), rank) }
	s.owner = func(i int) int { return i % node.Nodes() }
	s.first = func(k int) int { return k }
	s.back = func(i int) int {
		if i == n-1 {
			return n // this row is not published
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

// Solve is [kernels.Solve], with cyclic rows. A rank gets the lower triangle of its rows, each
// followed by its right-hand side. A Reduce broadcasts every unknown: all ranks but one contribute
// zero bits. Rank 0 thereby has all unknowns at the end.
func Solve(node *fagus.Node, l, x []float64, n int) error {
	j, me := newJob(node, "Solve"), node.Rank()
	items := func(rank int) []int { return parts.Cyclic(n, node.Nodes(), rank) }
	given := pack(j, items, func(i int) int { return i + 2 })
	if err := j.hand(func(rank int) (reads, writes []piece) {
		return []piece{given.part(given.begin[rank], given.begin[rank+1])}, nil
	}, func() {
		for rank := 1; rank < node.Nodes(); rank++ {
			to := given.of(rank)
			for _, i := range items(rank) {
				copy(to, l[i*n:][:i+1])
				to[i+1] = x[i]
				to = to[i+2:]
			}
		}
	}); err != nil {
		return err
	}
	rows := make([][]float64, n)
	if err := j.compute(func() {
		if me == 0 {
			for _, i := range items(me) {
				rows[i] = l[i*n:][:i+1]
			}
			return
		}
		x = make([]float64, n)
		from := append([]float64(nil), given.of(me)...)
		for _, i := range items(me) {
			rows[i], x[i], from = from[:i+1], from[i+1], from[i+2:]
		}
	}); err != nil {
		return err
	}
	return substitute(node, rows, x)
}

// substitute solves a system of which this rank has rows, indexed by number, and their right-hand
// sides in x.
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
