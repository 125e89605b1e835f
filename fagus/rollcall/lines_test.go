package rollcall

import (
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus/internal/source"
)

const profile = `goroutine profile: total 4
1 @ 0x442931 0x47cd1d
#	0x4c89f0	runtime/pprof.writeRuntimeProfile+0xb0	/usr/local/go/src/runtime/pprof/pprof.go:851
#	0x4dc130	main.main+0xb0				/tmp/gp.go:10

1 @ 0x47d92e 0x4158ee
# labels: {"a b":"q\"x", "fagus rank":"3 of 0xc0000"}
#	0x4dc215	main.f[...]+0xb5		/home/a user/gp.go:3
#	0x4dc172	main.main.func1+0x12	/home/a user/gp.go:6
#	garbage
#	0x4dc172	main.g+0x12	/tmp/gp.go:x
`

// TestParse parses a profile with some lines that must be skipped.
func TestParse(t *testing.T) {
	all := parse(strings.NewReader(profile))
	all = slices.DeleteFunc(all, func(g goroutines) bool { return len(g.frames) == 0 })
	if len(all) != 2 {
		t.Fatalf("%d groups of goroutines with frames, want 2: %+v", len(all), all)
	}
	if all[0].labels != "" || !strings.Contains(all[1].labels, `"fagus rank":"3 of 0xc0000"`) {
		t.Errorf("the labels are %q and %q, want none and those of rank 3", all[0].labels, all[1].labels)
	}
	if f := all[1].frames; len(f) != 2 || f[0].Function != "main.f[...]" || f[0].File != "/home/a user/gp.go" || f[1].Line != 6 {
		t.Errorf("frames %+v, want the two that are well formed", f)
	}
	if line := source.Line(all[1].frames); line != "a user/gp.go:3" {
		t.Errorf("the line is %q, want that of the innermost frame", line)
	}
}
