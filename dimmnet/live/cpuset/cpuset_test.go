package cpuset

import (
	"runtime"
	"testing"
)

func TestJoin(t *testing.T) {
	var a, b Set
	for _, cpu := range []int{0, 7, 8, most - 1} {
		a.add(cpu)
	}
	b.add(8)
	b.add(9)
	a.Join(b[:])
	if n := a.Count(); n != 5 {
		t.Errorf("%d processors, want 5", n)
	}
	a.Join(append(b[:], 0xff)) // longer than a Set
	a.Join(nil)
	a.Join([]byte{2})
	if n := a.Count(); n != 6 {
		t.Errorf("%d processors, want 6", n)
	}
}

func TestOwn(t *testing.T) {
	own := Own()
	if n := own.Count(); n < 1 || n > most || n < runtime.NumCPU() && runtime.NumCPU() <= most {
		t.Errorf("%d processors, want at least the %d that Go counts", n, runtime.NumCPU())
	}
}
