package rollcall

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/fagus/internal/source"
)

// body is the function that runs a rank's program. A goroutine that the program starts
// inherits the rank's label, but does not have this function on its stack.
const body = "github.com/fagus-dsm/fagus/fagus.(*Node).run"

// lines returns the source line that each rank's program executes, by rank. It is empty
// for a rank whose line cannot be determined.
func (b *Board) lines() []string {
	var text bytes.Buffer
	// WriteTo returns only errors of the writer, and a Buffer returns none.
	_ = pprof.Lookup("goroutine").WriteTo(&text, 1)
	lines := make([]string, len(b.monitors))
	ranks := make(map[string]int, len(b.monitors))
	for r := range b.monitors {
		ranks[b.monitors[r].label] = r
	}
	for _, g := range parse(&text) {
		if !slices.ContainsFunc(g.frames, func(f runtime.Frame) bool { return f.Function == body }) {
			continue
		}
		labels := make(map[string]string)
		// Other labels of the goroutine may not be valid JSON. Then the line stays unknown.
		_ = json.Unmarshal([]byte(g.labels), &labels)
		if r, ours := ranks[labels[labelKey]]; ours {
			lines[r] = source.Line(g.frames)
		}
	}
	return lines
}

// goroutines is a group of goroutines with the same labels and the same stack.
type goroutines struct {
	labels string          // in JSON
	frames []runtime.Frame // innermost first; only Function, File and Line are set
}

// parse parses a goroutine profile in text form. A group of goroutines has a line with
// counts and addresses, a line with labels if there are any, and a line for each frame:
//
//	#	0x4dc215	main.f+0xb5		/tmp/main.go:3
//
// parse skips malformed lines.
func parse(r io.Reader) (all []goroutines) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if labels, ok := strings.CutPrefix(line, "# labels: "); ok && len(all) > 0 {
			all[len(all)-1].labels = labels
		} else if !strings.HasPrefix(line, "#") {
			all = append(all, goroutines{})
		} else if f, ok := parseFrame(line); ok && len(all) > 0 {
			last := &all[len(all)-1]
			last.frames = append(last.frames, f)
		}
	}
	return all
}

func parseFrame(line string) (f runtime.Frame, ok bool) {
	fields := slices.DeleteFunc(strings.Split(line, "\t"), func(s string) bool { return s == "" })
	if len(fields) != 4 {
		return f, false
	}
	plus, colon := strings.LastIndexByte(fields[2], '+'), strings.LastIndexByte(fields[3], ':')
	if plus < 0 || colon < 0 {
		return f, false
	}
	f.Function, f.File = fields[2][:plus], fields[3][:colon]
	if _, err := fmt.Sscan(fields[3][colon+1:], &f.Line); err != nil {
		return f, false
	}
	return f, true
}
