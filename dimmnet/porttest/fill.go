package porttest

import (
	"bytes"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// checkFill: a Fill changes only its own bytes, at any size and offset. Its buffer may be reused.
func checkFill(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		for i, n := range sizes(min(t.limits.Bulk, most)) {
			for _, at := range fillOffsets(t.bulk(), n) {
				if err := t.touchFill(uint64(i)<<8+uint64(t.me), at, n); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// fillOffsets returns offsets for n bytes in m: both ends, misaligned, across the end of a page.
func fillOffsets(m memory, n int) []int {
	var list []int
	for _, at := range []int{0, 1, 13, page - 1, page - n/2, page - n, m.size() - n - 1, m.size() - n} {
		if at >= 0 && at+n <= m.size() {
			list = append(list, m.lo+at)
		}
	}
	return list
}

func (t *thread) touchFill(key uint64, at, n int) error {
	m := t.bulk().around(at, n)
	lo, off := dimmnet.Offset(m.lo), dimmnet.Offset(at)
	want, p := noise(key, m.size()), noise(^key, n)
	t.Fill(lo, want)
	copy(want[at-m.lo:], p)
	t.Fill(off, p)
	clear(p)
	what := fmt.Sprintf("a Fill of %d bytes at offset %d", n, at)
	return inOrder(
		func() error { return t.expect(what, lo, want) },
		func() error { return t.expect(what, off, want[at-m.lo:at-m.lo+n]) })
}

// checkRead: a Read copies its bytes and nothing after the buffer, at any size and offset.
func checkRead(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		for _, m := range t.memories() {
			want := noise(uint64(t.me), 5*word)
			for _, lo := range []int{m.lo, m.hi - len(want)} {
				if err := t.put(dimmnet.Offset(lo), want); err != nil {
					return err
				}
				if err := t.readPieces(lo, want); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (t *thread) readPieces(lo int, want []byte) error {
	for at := range want {
		for n := 1; at+n <= len(want); n++ {
			buf := bytes.Repeat([]byte{0xa5}, n+word)
			t.Read(buf[:n], dimmnet.Offset(lo+at))
			if !bytes.Equal(buf[:n], want[at:at+n]) {
				return fmt.Errorf("porttest: Read of %d bytes at offset %d: %x, want %x", n, lo+at, buf[:n], want[at:at+n])
			}
			if !bytes.Equal(buf[n:], bytes.Repeat([]byte{0xa5}, word)) {
				return fmt.Errorf("porttest: Read of %d bytes at offset %d changed bytes behind its buffer", n, lo+at)
			}
		}
	}
	return nil
}
