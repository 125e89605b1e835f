package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"syscall"
	"unicode"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// The schemas of documents: those that package program prints, and those of fagus run.
const (
	schema    = "fagus.program/v1"
	runSchema = "fagus.run/v2"

	plainSchema = "fagus.plain/v2" // of fagus run --plain
)

// Document is the document of a run of any program.
type Document struct {
	Schema string `json:"schema"`
	App    string `json:"app"`
	Nodes  int    `json:"nodes"`
	Mode   string `json:"mode"`
	Net    string `json:"net"`

	Notices  bool   `json:"notices"`
	Direct   bool   `json:"direct"`
	HostCost string `json:"host_cost"`

	// Of fagus run:
	Verified     bool `json:"verified"`
	Verification struct {
		Value float64 `json:"value"`
	} `json:"verification"`
	Outcome    string `json:"outcome"`     // the result in words
	Bits       string `json:"bits"`        // what identifies the result, if known
	MeasuredNs int64  `json:"measured_ns"` // the slowest rank's time in the measured section

	fagus.Summary
	Text any `json:"-"` // as the program has printed it
}

// Took returns the time of the measured section or, without one, of the program, in nanoseconds.
func (d *Document) Took() int64 {
	if d.MeasuredNs > 0 {
		return d.MeasuredNs
	}
	return d.TimeNs["total"]
}

// readDocument returns the document in the standard output of a program, and what the program has
// printed before and behind it. The document must be of the schema want.
func readDocument(out []byte, want string) (d *Document, beside string, err error) {
	begin := 0
	if i := bytes.LastIndex(out, []byte("\n{\n  \"schema\": \"fagus.")); i >= 0 {
		begin = i + 1
	}
	if len(bytes.TrimSpace(out)) == 0 {
		return nil, "", noDocument(want)
	}
	decoder := json.NewDecoder(bytes.NewReader(out[begin:]))
	var text json.RawMessage
	if err := decoder.Decode(&text); err != nil {
		return nil, "", fmt.Errorf("%w; it printed %s", noDocument(want), Quoted(string(bytes.TrimSpace(out))))
	}
	d = &Document{Text: text}
	err = json.Unmarshal(text, d) // counts if the schema is right
	beside = string(out[:begin]) + string(bytes.TrimLeft(out[begin+int(decoder.InputOffset()):], "\r\n"))
	switch {
	case d.Schema == "":
		return nil, "", fmt.Errorf("%w; it printed %s", noDocument(want), Quoted(string(text)))
	case !strings.HasPrefix(d.Schema, want[:strings.Index(want, "/")+1]):
		return nil, "", fmt.Errorf("its document is %s, not %s: %s", Quoted(d.Schema), want, wanted)
	case d.Schema != want:
		return nil, "", fmt.Errorf("its document is %s, want %s: build the program and fagus from the same version of Fagus", Quoted(d.Schema), want)
	case err != nil:
		return nil, "", fmt.Errorf("its document %s is wrong: %w", want, err)
	}
	return d, beside, nil
}

// Read returns the document that fagus run has printed on its standard output.
func Read(out []byte) (*Document, error) {
	d, _, err := readDocument(out, runSchema)
	return d, err
}

// check returns an error if the document is not of a run as cfg says, or its times are no times.
func (d *Document) check(cfg *runflags.Config) error {
	if d.Net != cfg.Network.Name || d.Nodes != cfg.Nodes || d.Mode != cfg.Mode.String() {
		return fmt.Errorf("it ran on %d nodes of %q in %q mode: it must leave --net, --nodes and --mode as they are", d.Nodes, d.Net, d.Mode)
	}
	if d.Notices != cfg.Notices || d.Direct != cfg.Direct || cfg.Network.Simulated && d.HostCost != cfg.HostCost {
		return fmt.Errorf("it ran with notices %v, direct %v and host cost %s: it must leave --notices, --direct and --host-cost as they are", d.Notices, d.Direct, Quoted(d.HostCost))
	}
	for _, times := range []map[string]int64{d.TimeNs, d.MeasuredTimeNs, d.CriticalTimeNs} {
		if times == nil && d.TimeNs != nil {
			continue // it measures no section, or has no timeline
		}
		if err := checkTimes(times); err != nil {
			return fmt.Errorf("its document %s has %w", d.Schema, err)
		}
	}
	d.clean()
	return nil
}

// checkTimes returns an error unless times has a total, and all of them are possible.
func checkTimes(times map[string]int64) error {
	if _, ok := times["total"]; !ok {
		return errors.New("no total time")
	}
	const most = math.MaxInt64 / int64(fagus.Nanosecond)
	for part, ns := range times {
		if ns < 0 || ns > most {
			return fmt.Errorf("a time of %d ns for %s", ns, Quoted(part))
		}
	}
	return nil
}

// clean replaces control characters, which a terminal would obey.
func (d *Document) clean() {
	for i := range d.Serial {
		for _, text := range []*string{&d.Serial[i].Text, &d.Serial[i].Variable, &d.Serial[i].Mend} {
			*text = strings.Map(func(r rune) rune {
				if unicode.IsControl(r) {
					return unicode.ReplacementChar
				}
				return r
			}, *text)
		}
	}
}

// readTimeline returns what every rank did when, as the program has written it to a file. It
// returns nil if the file is too large for a page.
func readTimeline(path string, nodes int) ([]fagus.Stats, error) {
	const most = 64 << 20
	// The program may have put anything there, such as a pipe or a link to a device.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errNoTimeline)
	}
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil || len(text) > most {
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

var errNoTimeline = errors.New("the program has not written the file of --timeline")

// wanted says which programs of one's own print a document.
const wanted = "want a program that uses package fagus/program (docs/guide/program.md)"

// noDocument is the error of a program that prints none of the schema want.
func noDocument(want string) error {
	const what = "it printed no document on standard output"
	if want == schema {
		return errors.New(what + ": " + wanted)
	}
	return errors.New(what)
}

// mostQuoted is the length of a text in a message.
const mostQuoted = 100

// Quoted returns a text, or its beginning, between quotes.
func Quoted(text string) string { return fmt.Sprintf("%q", shortened(text, mostQuoted)) }

// shortened returns a text, or its beginning with three dots.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
