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

func TestParse(t *testing.T) {
	for list, want := range map[string][]int{
		"":                  {},
		"\n":                {},
		"0\n":               {0},
		"0-3,8,1022-9999\n": {0, 1, 2, 3, 8, 1022, 1023},
		"5000":              {},
	} {
		s, err := Parse(list)
		if err != nil || s.Count() != len(want) {
			t.Errorf("%q: %d processors, %v: want %v", list, s.Count(), err, want)
		}
		for _, cpu := range want {
			var one Set
			if one.add(cpu); !s.Overlaps(&one) || !one.Overlaps(&s) {
				t.Errorf("%q lacks processor %d", list, cpu)
			}
		}
	}
	for _, list := range []string{"x", "3-1", "1,", "-1", "1-2-3", "0x3", "99999999999"} {
		if s, err := Parse(list); err == nil || s != (Set{}) {
			t.Errorf("%q is accepted", list)
		}
	}
	var a, b Set
	a.add(1)
	b.add(9)
	if a.Overlaps(&b) || a.Overlaps(&Set{}) {
		t.Error("sets without a common processor overlap")
	}
}
