package mpi

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
)

// TestFence checks windows in which every rank puts into every part, gets it back and adds to
// it, in pieces shorter and longer than a ring.
func TestFence(t *testing.T) {
	groups := []int{1, 2, 4}
	if testing.Short() {
		groups = []int{3}
	}
	for _, nodes := range groups {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			everywhere(t, nodes, func(c *Comm) error {
				for _, n := range []int{0, 8, 168, 4096} {
					if err := fenced(c, n); err != nil {
						return fmt.Errorf("%d bytes: %w", n, err)
					}
				}
				return nil
			})
		})
	}
}

// fenced uses windows in which every rank has n bytes for every rank, and numbers to which all
// ranks add.
func fenced(c *Comm, n int) error {
	own, size := c.Rank(), c.Size()
	mem := make([]byte, n*size+4+24) // numbers that are not aligned
	w, err := c.NewWindow(mem)
	if err != nil {
		return err
	}
	if err := w.Fence(); err != nil {
		return err
	}
	for target := range size {
		if err := w.Put(part(own, target, n), target, own*n); err != nil {
			return err
		}
		for range own + 1 {
			if err := Accumulate(w, []int64{1, int64(own), -1}, target, n*size+4, Sum); err != nil {
				return err
			}
		}
	}
	if err := w.Fence(); err != nil {
		return err
	}
	if err := same("put", mem[:n*size], parts(size, n, func(i int) []byte { return part(i, own, n) })); err != nil {
		return err
	}
	got := make([][]byte, size)
	for target := range size {
		got[target] = make([]byte, len(mem))
		if err := w.Get(got[target], target, 0); err != nil {
			return err
		}
	}
	if err := w.Fence(); err != nil {
		return err
	}
	clear(mem) // must not change what was got
	sums := [3]int64{}
	for i := range size {
		sums[0] += int64(i + 1)
		sums[1] += int64(i * (i + 1))
		sums[2] -= int64(i + 1)
	}
	for target, p := range got {
		if err := same("get", p[:n*size], parts(size, n, func(i int) []byte { return part(i, target, n) })); err != nil {
			return err
		}
		for i, want := range sums {
			if v := int64(binary.NativeEndian.Uint64(p[n*size+4+8*i:])); v != want {
				return fmt.Errorf("accumulated %d: %d, want %d", i, v, want)
			}
		}
	}
	return w.Free()
}

// TestLock checks that ranks count correctly in rank 0's part: by reads and writes under an
// exclusive lock, and by Accumulate under a shared one.
func TestLock(t *testing.T) {
	const nodes, rounds = 4, 5
	everywhere(t, nodes, func(c *Comm) error {
		v := make([]int64, 3)
		w, err := c.NewWindow(Raw(v))
		if err != nil {
			return err
		}
		for range rounds {
			if err := w.Lock(0, true); err != nil {
				return err
			}
			n := make([]int64, 1)
			if c.Rank() == 0 {
				v[0]++ // the rank's own part, locked: plain accesses
			} else {
				if err := w.Get(Raw(n), 0, 0); err != nil {
					return err
				}
				if err := w.Unlock(0); err != nil {
					return err
				}
				// a second epoch, because the number may have changed
				if err := w.Lock(0, true); err != nil {
					return err
				}
				if err := Accumulate(w, []int64{1}, 0, 0, Sum); err != nil {
					return err
				}
			}
			if err := w.Unlock(0); err != nil {
				return err
			}
			if n[0] >= nodes*rounds {
				return fmt.Errorf("counted to %d", n[0])
			}
			if err := w.Lock(0, false); err != nil {
				return err
			}
			if err := Accumulate(w, []int64{int64(c.Rank()), 2}, 0, 8, Sum); err != nil {
				return err
			}
			if err := w.Unlock(0); err != nil {
				return err
			}
		}
		if err := c.Barrier(); err != nil {
			return err
		}
		if want := [3]int64{nodes * rounds, nodes * (nodes - 1) / 2 * rounds, 2 * nodes * rounds}; c.Rank() == 0 && [3]int64(v) != want {
			return fmt.Errorf("counted to %v, want %v", v, want)
		}
		return w.Free()
	})
}

// TestExclusive checks that two numbers that are equal outside of locks are equal in every lock.
func TestExclusive(t *testing.T) {
	everywhere(t, 3, func(c *Comm) error {
		v := make([]int64, 100)
		w, err := c.NewWindow(Raw(v))
		if err != nil {
			return err
		}
		for range 4 {
			for target := range 3 {
				p := make([]int64, len(v))
				if err := w.Lock(target, false); err != nil {
					return err
				}
				if err := w.Get(Raw(p), target, 0); err != nil {
					return err
				}
				if err := w.Unlock(target); err != nil {
					return err
				}
				for _, x := range p {
					if x != p[0] {
						return fmt.Errorf("half of a change was seen: %v", p)
					}
				}
				for i := range p {
					p[i] = int64(1 + c.Rank())
				}
				if err := w.Lock(target, true); err != nil {
					return err
				}
				if err := Accumulate(w, p, target, 0, Sum); err != nil {
					return err
				}
				if err := w.Unlock(target); err != nil {
					return err
				}
			}
		}
		if err := w.Free(); err != nil {
			return err
		}
		if want := int64(4 * (1 + 2 + 3)); v[0] != want || v[99] != want {
			return fmt.Errorf("%d and %d, want %d", v[0], v[99], want)
		}
		return nil
	})
}

// TestElements checks every type of number and every operation on unaligned memory.
func TestElements(t *testing.T) {
	check := func(k, want element) {
		if k != want {
			t.Errorf("element %d, want %d", k, want)
		}
	}
	type named float32
	check(elementOf[int](), signed64)
	check(elementOf[int32](), signed32)
	check(elementOf[uint](), unsigned64)
	check(elementOf[uint32](), unsigned32)
	check(elementOf[float64](), floating64)
	check(elementOf[named](), floating32)
	element3(t, []int32{-3, 4}, []int32{-2, 5}, []int32{-5, 9}, []int32{6, 20}, []int32{-3, 4})
	element3(t, []int64{-3, 4}, []int64{-2, 5}, []int64{-5, 9}, []int64{6, 20}, []int64{-3, 4})
	element3(t, []uint32{3, 1 << 31}, []uint32{4, 1}, []uint32{7, 1<<31 + 1}, []uint32{12, 1 << 31}, []uint32{3, 1})
	element3(t, []uint64{3, 1 << 63}, []uint64{4, 1}, []uint64{7, 1<<63 + 1}, []uint64{12, 1 << 63}, []uint64{3, 1})
	element3(t, []float32{-3, 0.5}, []float32{-2, 4}, []float32{-5, 4.5}, []float32{6, 2}, []float32{-3, 0.5})
	element3(t, []float64{-3, 0.5}, []float64{-2, 4}, []float64{-5, 4.5}, []float64{6, 2}, []float64{-3, 0.5})
}

// element3 checks sum, product and min of a and b, and the other operations.
func element3[T Number](t *testing.T, a, b, sum, product, low []T) {
	for op, want := range map[Op][]T{Sum: sum, Product: product, Min: low, Replace: b} {
		into := append([]byte{0}, Raw(a)...)[1:]
		elementOf[T]().arithmetic().accumulate(op, into, Raw(b))
		if !bytes.Equal(into, Raw(want)) {
			t.Errorf("%T: %v %v %v: not %v", a, a, op, b, want)
		}
	}
	into := append([]byte{0}, Raw(a)...)[1:]
	elementOf[T]().arithmetic().accumulate(Max, into, Raw(b))
	for i, v := range numbers[T](into) {
		if v != max(a[i], b[i]) {
			t.Errorf("%T: max of %v and %v: %v", a, a[i], b[i], v)
		}
	}
}

// TestWindowMistakes checks that mistakes give clear errors.
func TestWindowMistakes(t *testing.T) {
	err := run(inproc.New(inproc.Config{}), 2, Options{}, func(c *Comm) error {
		w, err := c.NewWindow(make([]byte, 8+c.Rank()))
		if err != nil {
			return err
		}
		if w.Size(0) != 8 || w.Size(1) != 9 {
			return fmt.Errorf("sizes %d, %d", w.Size(0), w.Size(1))
		}
		p := make([]byte, 8)
		tries := func(list map[string]func() error) error {
			for want, try := range list {
				if err := try(); err == nil || !strings.HasPrefix(err.Error(), "mpi: ") || !strings.Contains(err.Error(), want) {
					return fmt.Errorf("error %w, want %q", err, want)
				}
			}
			return nil
		}
		err = tries(map[string]func() error{
			"access rank 0's part of a window outside an epoch":             func() error { return w.Put(p, 0, 0) },
			"8 bytes at offset 1 of rank 0's part of a window, which has 8": func() error { return w.Put(p, 0, 1) },
			"8 bytes at offset -1 of":                                       func() error { return w.Get(p, 0, -1) },
			"8 bytes at offset 10 of rank 1's":                              func() error { return w.Get(p, 1, 10) },
			"rank 2: the communicator":                                      func() error { return w.Get(p, 2, 0) },
			"this rank does not hold its lock":                              func() error { return w.Unlock(1) },
			"rank -1: the communicator":                                     func() error { return w.Lock(-1, true) },
		})
		if err != nil {
			return err
		}
		if err := w.Lock(1, false); err != nil {
			return err
		}
		err = tries(map[string]func() error{
			"this rank already holds its lock":                 func() error { return w.Lock(1, false) },
			"Fence while this rank holds the lock of rank 1's": func() error { return w.Fence() },
			"operation 9": func() error { return Accumulate(w, []int64{1}, 1, 0, 9) },
			"rank 0's part of a window outside an epoch": func() error { return w.Put(p, 0, 0) },
			"16 bytes at offset 0 of rank 1's part":      func() error { return Accumulate(w, []int64{1, 2}, 1, 0, Sum) },
		})
		if err != nil {
			return err
		}
		if err := w.Unlock(1); err != nil {
			return err
		}
		if err := w.Free(); err != nil {
			return err
		}
		return tries(map[string]func() error{
			"has been freed": func() error { return w.Fence() },
			"window has":     func() error { return w.Put(p, 0, 0) },
		})
	})
	if err != nil {
		t.Error(err)
	}
}
