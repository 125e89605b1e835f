package mpi

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// part returns what rank from sends to rank to.
func part(from, to, n int) []byte { return noise(n, uint64(from*100+to)) }

// parts returns the parts of all ranks, concatenated.
func parts(size, n int, f func(i int) []byte) (all []byte) {
	for i := range size {
		all = append(all, f(i)[:n]...)
	}
	return all
}

// TestCollectives calls every collective, with every root, in groups of some sizes, in long tests
// of more.
func TestCollectives(t *testing.T) {
	groups, lengths := []int{1, 2, 3}, []int{0, 8, 41, 300}
	switch {
	case longtest.Thorough():
		groups = []int{1, 2, 3, 4, 5, 8}
	case testing.Short():
		groups, lengths = []int{2, 5}, []int{41, 300}
	}
	for _, nodes := range groups {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			everywhere(t, nodes, func(c *Comm) error {
				for _, n := range lengths {
					for root := range nodes {
						if err := rooted(c, n, root); err != nil {
							return fmt.Errorf("%d bytes, root %d: %w", n, root, err)
						}
					}
					if err := rootless(c, n); err != nil {
						return fmt.Errorf("%d bytes: %w", n, err)
					}
				}
				return nil
			})
		})
	}
}

// same returns an error if a collective's result is wrong.
func same(what string, got, want []byte) error {
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%s: wrong bytes", what)
	}
	return nil
}

// rooted calls the collectives that have a root.
func rooted(c *Comm, n, root int) error {
	own, size := c.Rank(), c.Size()
	p := part(own, 0, n)
	if err := c.Bcast(p, root); err != nil {
		return err
	}
	if err := same("Bcast", p, part(root, 0, n)); err != nil {
		return err
	}
	var all []byte
	if own == root {
		all = make([]byte, n*size)
	}
	if err := c.Gather(part(own, root, n), all, root); err != nil {
		return err
	}
	if own == root {
		if err := same("Gather", all, parts(size, n, func(i int) []byte { return part(i, root, n) })); err != nil {
			return err
		}
		all = parts(size, n, func(i int) []byte { return part(root, i, n) })
	}
	if err := c.Scatter(all, p, root); err != nil {
		return err
	}
	if err := same("Scatter", p, part(root, own, n)); err != nil {
		return err
	}
	in, out := make([]int64, n/8), make([]int64, n/8)
	for i := range in {
		in[i] = int64(own*1000 + i)
	}
	if err := Reduce(c, in, out, Sum, root); err != nil {
		return err
	}
	for i, v := range out {
		if own == root && v != int64(1000*size*(size-1)/2+i*size) {
			return fmt.Errorf("Reduce: element %d is %d", i, v)
		}
	}
	return nil
}

// rootless calls the other collectives.
func rootless(c *Comm, n int) error {
	own, size := c.Rank(), c.Size()
	all := make([]byte, n*size)
	if err := c.Allgather(part(own, 0, n), all); err != nil {
		return err
	}
	if err := same("Allgather", all, parts(size, n, func(i int) []byte { return part(i, 0, n) })); err != nil {
		return err
	}
	if err := c.Alltoall(parts(size, n, func(i int) []byte { return part(own, i, n) }), all); err != nil {
		return err
	}
	if err := same("Alltoall", all, parts(size, n, func(i int) []byte { return part(i, own, n) })); err != nil {
		return err
	}
	for _, x := range []struct {
		op   Op
		want float64
	}{{Sum, float64(size*(size+1)) / 2}, {Min, 1}, {Max, float64(size)}, {Replace, float64(size)}} {
		v := []float64{float64(own + 1)}
		if err := Allreduce(c, v, v, x.op); err != nil {
			return err
		}
		if v[0] != x.want {
			return fmt.Errorf("Allreduce, %v: %g, want %g", x.op, v[0], x.want)
		}
	}
	return nil
}

// TestReduceOrder checks that an operation that is not commutative gets its operands in the
// order of the ranks.
func TestReduceOrder(t *testing.T) {
	for nodes := 1; nodes <= 9; nodes++ {
		for root := range nodes {
			err := run(inproc.New(inproc.Config{}), nodes, Options{}, func(c *Comm) error {
				// numbers as digits and their count; the operation concatenates them
				in, out := []int64{int64(c.Rank()), 10}, make([]int64, 2)
				join := func(into, from []int64) {
					into[0], into[1] = into[0]*from[1]+from[0], into[1]*from[1]
				}
				if err := ReduceFunc(c, in, out, join, root); err != nil {
					return err
				}
				want := int64(0)
				for i := range nodes {
					want = want*10 + int64(i)
				}
				if c.Rank() == root && out[0] != want {
					return fmt.Errorf("%d, want %d", out[0], want)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%d nodes, root %d: %v", nodes, root, err)
			}
		}
	}
}

// TestBarrierInVirtualTime checks that no rank leaves a barrier before all have entered.
func TestBarrierInVirtualTime(t *testing.T) {
	for _, seed := range []uint64{0, 3} {
		var last, first dimmnet.Time = 0, 1 << 62
		err := simulated(sim.Config{Seed: seed}).Run(context.Background(), 6, func(h dimmnet.Host) error {
			return Run(h, Options{}, func(c *Comm) error {
				h.Spend(dimmnet.Time(c.Rank()*c.Rank()) * dimmnet.Millisecond)
				last = max(last, h.Now())
				if err := c.Barrier(); err != nil {
					return err
				}
				first = min(first, h.Now())
				return nil
			})
		})
		if err != nil || first < last {
			t.Errorf("seed %d: the first left at %v, the last came at %v; %v", seed, first, last, err)
		}
	}
}

// TestPrivate checks that a program's wildcard receives do not match messages of a collective.
func TestPrivate(t *testing.T) {
	everywhere(t, 3, func(c *Comm) error {
		p := make([]byte, 1000)
		r, err := c.Irecv(p, AnySource, AnyTag)
		if err != nil {
			return err
		}
		v := []int{1}
		if err := Allreduce(c, v, v, Sum); err != nil {
			return err
		}
		if _, found, err := c.Iprobe(AnySource, AnyTag); found || err != nil {
			return fmt.Errorf("a message of a collective was seen: %v, %w", found, err)
		}
		if err := c.Send(p[:7], (c.Rank()+1)%3, 5); err != nil {
			return err
		}
		s, err := r.Wait()
		if want := (Status{(c.Rank() + 2) % 3, 5, 7}); err != nil || s != want {
			return fmt.Errorf("%+v, want %+v: %w", s, want, err)
		}
		return nil
	})
}

// TestUnequal checks that parts of different lengths are errors.
func TestUnequal(t *testing.T) {
	for want, body := range map[string]func(*Comm) error{
		"sent 3 bytes, but this rank expects 8":         func(c *Comm) error { return c.Bcast(make([]byte, 3+5*c.Rank()), 0) },
		"message of 8 bytes from rank 0":                func(c *Comm) error { return c.Bcast(make([]byte, 8-5*c.Rank()), 0) },
		"Allgather: 7 bytes for 2 ranks":                func(c *Comm) error { return c.Allgather(make([]byte, 3), make([]byte, 7)) },
		"Alltoall: 3 bytes for 2 ranks, 3 from":         func(c *Comm) error { return c.Alltoall(make([]byte, 3), make([]byte, 3)) },
		"Gather: 2 bytes for 2 ranks: want a part of 2": func(c *Comm) error { return c.Gather(make([]byte, 2), make([]byte, 2), 0) },
		"Reduce 1 elements into 2":                      func(c *Comm) error { return Reduce(c, []int{1}, []int{1, 2}, Sum, 1) },
	} {
		err := run(inproc.New(inproc.Config{}), 2, Options{}, body)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestTypes sends columns of a matrix to rows and to columns.
func TestTypes(t *testing.T) {
	const rows, columns = 7, 5
	column := Vector(rows, 1, columns, Bytes(8))
	if column.Size() != 8*rows || column.Extent() != 8*((rows-1)*columns+1) || len(column.Blocks()) != rows {
		t.Errorf("%+v", column)
	}
	if b := Contiguous(4, Bytes(3)).Blocks(); !slices.Equal(b, []Block{{0, 12}}) {
		t.Errorf("contiguous blocks %+v", b)
	}
	if b := Indexed([]int{2, 0, 1}, []int{5, 9, 1}, Bytes(2).Resized(4)).Blocks(); !slices.Equal(b, []Block{{20, 2}, {24, 2}, {4, 2}}) {
		t.Errorf("indexed blocks %+v", b)
	}
	everywhere(t, 2, func(c *Comm) error {
		m := make([]float64, rows*columns)
		if c.Rank() == 0 {
			for i := range m {
				m[i] = float64(i)
			}
			for k := range columns {
				if err := c.SendType(Raw(m[k:]), column, 1, k); err != nil {
					return err
				}
			}
			return c.SendType(Raw(m), Contiguous(3, Bytes(8)), 1, 99) // less than expected
		}
		for k := range columns {
			into, at := column, m[columns-1-k:] // columns in reverse
			if k == 2 {
				into, at = Bytes(8*rows), make([]float64, rows)
			}
			s, err := c.RecvType(Raw(at), into, 0, AnyTag)
			if err != nil || s != (Status{0, k, 8 * rows}) {
				return fmt.Errorf("%+v, %w", s, err)
			}
			for i := range rows {
				step := columns
				if k == 2 {
					step = 1
				}
				if v := at[i*step]; v != float64(i*columns+k) {
					return fmt.Errorf("column %d, row %d: %g", k, i, v)
				}
			}
		}
		clear(m)
		if _, err := c.RecvType(Raw(m), column, 0, 99); err != nil {
			return err
		}
		for i := range rows {
			if want := float64(i); m[i*columns] != want && i < 3 || m[i*columns] != 0 && i >= 3 {
				return fmt.Errorf("a short message: row %d is %g", i, m[i*columns])
			}
		}
		return nil
	})
}
