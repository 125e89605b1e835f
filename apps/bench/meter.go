package bench

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// Meter measures one operation at one rank.
type Meter struct {
	n    *fagus.Node
	name string
	op   func(round uint64) error
	// finish, if not nil, waits until a batch is over for all ranks. It is nil unless the
	// operation of this rank may return earlier.
	finish func() error
	round  uint64     // number of operations so far
	kept   uint64     // the result of Meet's computation, which the compiler must not drop
	apart  fagus.Time // time within this batch to subtract from the batch's time
}

// NewMeter creates the arrays of an operation. All ranks call it, at any time when NewArray is
// permitted. A run can have only one Meter for each operation and size, because names of arrays
// are unique.
func NewMeter(n *fagus.Node, cfg Config) (*Meter, error) {
	if err := cfg.validOp(); err != nil {
		return nil, err
	}
	m := &Meter{n: n, name: string(cfg.Op)}
	var err error
	switch cfg.Op {
	case Barrier:
		m.op = func(uint64) error { return n.Barrier() }
	case Meet:
		x := uint64(n.Rank())
		m.op = func(uint64) error {
			m.kept = compute(x, cfg.Bytes)
			return n.Barrier()
		}
	case Sum:
		m.op, err = m.sum()
	case HandOver:
		m.name = fmt.Sprintf("%s of %d bytes", cfg.Op, cfg.Bytes)
		m.op, err = m.handOver(cfg.Bytes)
	case Stream, StreamRead:
		m.name = fmt.Sprintf("%s of %d bytes", cfg.Op, cfg.Bytes)
		m.op, err = m.stream(cfg.Bytes/8, cfg.Op == StreamRead)
	case Matmul, Product:
		m.name = fmt.Sprintf("%s of order %d", cfg.Op, cfg.N)
		m.op, err = m.product(cfg.N, cfg.Op == Product)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Batch returns the time of count operations at this rank, after a barrier. All ranks call it.
func (m *Meter) Batch(count int) (fagus.Time, error) {
	if err := m.n.Barrier(); err != nil {
		return 0, err
	}
	m.apart = 0
	start := m.n.Now()
	for range count {
		m.round++
		if err := m.op(m.round); err != nil {
			return 0, err
		}
	}
	if m.finish != nil {
		if err := m.finish(); err != nil {
			return 0, err
		}
	}
	return m.n.Now() - start - m.apart, nil
}

// beside calls f, and excludes f's time from the batch's time.
func (m *Meter) beside(f func() error) error {
	start := m.n.Now()
	err := f()
	m.apart += m.n.Now() - start
	return err
}

// guarded creates an array that is bound to one variable.
func guarded[T any](m *Meter, name string, length int) (*fagus.Array[T], *fagus.SyncVar, error) {
	a, err := fagus.NewArray[T](m.n, m.name+name, length)
	if err != nil {
		return nil, nil, err
	}
	v, err := m.n.Bind(m.name+name, a.All())
	return a, v, err
}
