package replay

import (
	"fmt"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/elements"
	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/fagus/replay"
)

const schema = "fagus.replay/v1"

// document is what fagus replay prints. docs/reference/json.md describes it.
type document struct {
	Schema    string   `json:"schema"`
	Directory string   `json:"directory"`
	Program   string   `json:"program"`
	Nodes     int      `json:"nodes"`
	Mode      string   `json:"mode"`
	Net       string   `json:"net"`
	Command   []string `json:"command"`
	replay.Result
	Difference *difference `json:"difference,omitempty"`
}

// difference is the first difference, with values as text.
type difference struct {
	replay.Difference
	Recorded string `json:"recorded,omitempty"`
	Replayed string `json:"replayed,omitempty"`
}

func newDocument(dir string, of recording.About, argv []string, r *replay.Result) *document {
	d := &document{Schema: schema, Directory: dir, Program: of.Program, Nodes: of.Nodes, Mode: of.Mode, Net: of.Net, Command: argv, Result: *r}
	if first := r.Difference; first != nil {
		d.Difference = &difference{*first, value(first, first.Recorded), value(first, first.Replayed)}
		d.Result.Difference = nil
	}
	return d
}

// value returns the value of an element as text.
func value(d *replay.Difference, b []byte) string {
	if len(b) == 0 {
		return ""
	}
	var count int
	_, err := fmt.Sscan(d.Kind, &count)
	e, unknown := elements.Of(d.Kind, len(b), count*len(b))
	if err != nil || unknown != nil {
		return fmt.Sprintf("%x", b)
	}
	return e.Values(b)
}

func (d *document) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "rank %d of %d, %s in %s mode on %s: %d calls, %d pieces (%d bytes) and %d words as recorded\n",
		d.Rank, d.Nodes, base.Printable(d.Program), base.Printable(d.Mode), base.Printable(d.Net), d.Calls, d.Pieces, d.Bytes, d.Words)
	if d.Moved != "" {
		fmt.Fprintf(&b, "note: lines have changed: %s\n", base.Printable(d.Moved))
	}
	if f := d.Difference; f != nil {
		fmt.Fprintf(&b, "first difference: call %d at %s: ", f.Call, base.Printable(f.Line))
		switch {
		case f.Array == "":
			fmt.Fprintln(&b, base.Printable(f.Text))
		case f.Recorded == "":
			fmt.Fprintf(&b, "%s[%d] of %s is %s, which the recorded run has not written\n", base.Printable(f.Array), f.Element, base.Printable(f.Variable), f.Replayed)
		default:
			fmt.Fprintf(&b, "%s[%d] of %s is %s, recorded %s\n", base.Printable(f.Array), f.Element, base.Printable(f.Variable), f.Replayed, f.Recorded)
		}
	}
	switch d.End {
	case replay.Failed:
		fmt.Fprintf(&b, "the end is where the recorded run failed: %s\n", base.Printable(d.Text))
	case replay.Cut:
		fmt.Fprintf(&b, "the record ends before the rank did: %s\n", base.Printable(d.Text))
	}
	if d.Difference == nil {
		b.WriteString("no difference\n")
	}
	return b.String()
}
