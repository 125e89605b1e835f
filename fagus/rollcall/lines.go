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

	"github.com/fagus-dsm/fagus/fagus/source"
)

// body is the function in which a rank runs its program. A goroutine that the program
// has started has the rank's label, too, but not this on its stack.
const body = "github.com/fagus-dsm/fagus/fagus.(*Node).run"

// lines are where the programs of the ranks are, by rank; empty where that is not
// found out.
func (b *Board) lines() []string {
	var text bytes.Buffer
	// It fails only if the writer does.
	_ = pprof.Lookup("goroutine").WriteTo(&text, 1)
	lines := make([]string, len(b.seats))
	ranks := make(map[string]int, len(b.seats))
	for r := range b.seats {
		ranks[b.seats[r].label] = r
	}
	for _, g := range parse(&text) {
		if !slices.ContainsFunc(g.frames, func(f runtime.Frame) bool { return f.Function == body }) {
			continue
		}
		labels := make(map[string]string)
		// Labels that are no JSON are not this rank's alone: its line stays unknown.
		_ = json.Unmarshal([]byte(g.labels), &labels)
		if r, ours := ranks[labels[labelKey]]; ours {
			lines[r] = source.Line(g.frames)
		}
	}
	return lines
}

// goroutines are those that have the same labels and the same stack.
type goroutines struct {
	labels string
	frames []runtime.Frame // innermost first; functions, files and lines alone
}

// parse reads a goroutine profile as text: a line with counts and addresses, one with
// labels if there are any, and one a frame,
//
//	#	0x4dc215	main.f+0xb5		/tmp/main.go:3
//
// What it does not understand it leaves out.
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
