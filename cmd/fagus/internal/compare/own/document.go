package own

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// schema identifies the documents that package program prints.
const schema = "fagus.program/v1"

// document is what a comparison needs of the document of a run.
type document struct {
	Schema string `json:"schema"`
	Nodes  int    `json:"nodes"`
	Mode   string `json:"mode"`
	Net    string `json:"net"`
	fagus.Summary
	text json.RawMessage
}

// readDocument returns the document in the standard output of a program, and what the program has
// printed before and behind it.
func readDocument(out []byte) (d *document, beside string, err error) {
	begin := 0
	if i := bytes.LastIndex(out, []byte("\n{\n  \"schema\": \"fagus.")); i >= 0 {
		begin = i + 1
	}
	if len(bytes.TrimSpace(out)) == 0 {
		return nil, "", errNoDocument
	}
	d = &document{}
	decoder := json.NewDecoder(bytes.NewReader(out[begin:]))
	if err := decoder.Decode(&d.text); err != nil {
		return nil, "", fmt.Errorf("%w; it printed %s", errNoDocument, quoted(string(bytes.TrimSpace(out))))
	}
	beside = string(out[:begin]) + string(bytes.TrimLeft(out[begin+int(decoder.InputOffset()):], "\r\n"))
	var head struct {
		Schema string `json:"schema"`
	}
	_ = json.Unmarshal(d.text, &head) // a document of something else has no schema
	switch {
	case head.Schema == "":
		return nil, "", fmt.Errorf("%w; it printed %s", errNoDocument, quoted(string(d.text)))
	case !strings.HasPrefix(head.Schema, "fagus.program/"):
		return nil, "", fmt.Errorf("its document is %s, not %s: %s", quoted(head.Schema), schema, wanted)
	case head.Schema != schema:
		return nil, "", fmt.Errorf("its document is %s, want %s: build the program and fagus from the same version of Fagus", quoted(head.Schema), schema)
	}
	if err := json.Unmarshal(d.text, d); err != nil {
		return nil, "", fmt.Errorf("its document %s is wrong: %w", schema, err)
	}
	return d, beside, nil
}

// check returns an error if the document is not of a run as cfg says, or its times are no times.
func (d *document) check(cfg *runflags.Config) error {
	if d.Net != cfg.Network.Name || d.Nodes != cfg.Nodes || d.Mode != cfg.Mode.String() {
		return fmt.Errorf("it ran on %d nodes of %q in %q mode: it must leave --net, --nodes and --mode as they are", d.Nodes, d.Net, d.Mode)
	}
	for _, times := range []map[string]int64{d.TimeNs, d.MeasuredTimeNs} {
		if times == nil && d.TimeNs != nil {
			continue // it measures no section
		}
		if _, ok := times["total"]; !ok {
			return fmt.Errorf("its document %s has no total time", schema)
		}
		for part, ns := range times {
			if ns < 0 {
				return fmt.Errorf("its document %s has a time of %d ns for %s", schema, ns, quoted(part))
			}
		}
	}
	return nil
}

// readTimeline returns what every rank did when, as the program has written it to a file. It
// returns nil if the file is too large for a page.
func readTimeline(path string, nodes int) ([]fagus.Stats, error) {
	const most = 64 << 20
	if info, err := os.Stat(path); err != nil || info.Size() > most {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var line runflags.Timeline
	if err := json.Unmarshal(text, &line); err != nil {
		return nil, fmt.Errorf("reading its timeline: %w", err)
	}
	ranks, err := line.Stats()
	if err == nil && len(ranks) > nodes {
		err = fmt.Errorf("its timeline has %d ranks of %d", len(ranks), nodes)
	}
	return ranks, err
}

// wanted says which programs can be compared.
const wanted = "want a program that uses package fagus/program (docs/program.md)"

var errNoDocument = errors.New("it printed no document on standard output: " + wanted)

// mostQuoted is the length of a text in a message.
const mostQuoted = 100

// quoted returns a text, or its beginning, between quotes.
func quoted(text string) string { return fmt.Sprintf("%q", shortened(text, mostQuoted)) }

// shortened returns a text, or its beginning with three dots.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
