package bench

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// Meter measures one operation at one rank.
type Meter struct {
	n     *fagus.Node
	name  string
	op    func(round uint64) error
	round uint64     // how often the operation was done
	apart fagus.Time // of this batch, what is not the operation's own
}

// NewMeter makes what an operation needs. It is collective, and may be called at any time at
// which NewArray may; two of one kind in one run are a mistake, since arrays have names.
func NewMeter(n *fagus.Node, cfg Config) (*Meter, error) {
	if err := cfg.validOp(); err != nil {
		return nil, err
	}
	m := &Meter{n: n, name: string(cfg.Op)}
	var err error
	switch cfg.Op {
	case Barrier:
		m.op = func(uint64) error { return n.Barrier() }
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

// Batch times so many operations, from a barrier to their end at this rank. It is collective.
func (m *Meter) Batch(count int) (fagus.Time, error) {
	if err := m.n.Barrier(); err != nil {
		return 0, err
	}
	m.apart = 0
	start := m.now()
	for range count {
		m.round++
		if err := m.op(m.round); err != nil {
			return 0, err
		}
	}
	return m.now() - start - m.apart, nil
}

// beside does what belongs to no operation, off the clock.
func (m *Meter) beside(f func() error) error {
	start := m.now()
	err := f()
	m.apart += m.now() - start
	return err
}

func (m *Meter) now() fagus.Time {
	s := m.n.Stats()
	return s.Total()
}

// guarded makes an array with one variable for all of it.
func guarded[T any](m *Meter, name string, length int) (*fagus.Array[T], *fagus.SyncVar, error) {
	a, err := fagus.NewArray[T](m.n, m.name+name, length)
	if err != nil {
		return nil, nil, err
	}
	v, err := m.n.Bind(m.name+name, a.All())
	return a, v, err
}
