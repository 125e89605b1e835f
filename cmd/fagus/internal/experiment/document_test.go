package experiment

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

const aDocument = `{
  "schema": "fagus.program/v1",
  "program": "app",
  "nodes": 2,
  "mode": "threaded",
  "net": "shm",
  "time_ns": {"total": 5, "compute": 4},
  "ranks": []
}
`

func TestReadDocument(t *testing.T) {
	cfg := &runflags.Config{Network: runflags.Named(runflags.SHM)[0], Nodes: 2, Config: fagus.Config{Mode: fagus.Threaded}}
	for _, c := range []struct{ name, out, beside, wrong string }{
		{"alone", aDocument, "", ""},
		{"no line end", strings.TrimSpace(aDocument), "", ""},
		{"between lines", "{ begin\n" + aDocument + "end\n", "{ begin\nend\n", ""},
		{"measured", strings.Replace(aDocument, `"ranks"`, `"measured_time_ns": {"total": 3}, "ranks"`, 1), "", ""},
		{"fields of later versions", strings.Replace(aDocument, `"ranks"`, `"later": [1], "ranks"`, 1), "", ""},
		{"nothing", " \n", "", "printed no document"},
		{"text", "one\ntwo\n", "", `it printed "one\ntwo"`},
		{"cut", aDocument[:60], "", "printed no document"},
		{"a number", "7\n", "", `it printed "7"`},
		{"another object", `{"a": 1}`, "", "printed no document"},
		{"another version", strings.Replace(aDocument, "program/v1", "program/v2", 1), "", `its document is "fagus.program/v2", want fagus.program/v1`},
		{"another document", strings.Replace(aDocument, "program/v1", "run/v2", 1), "", `its document is "fagus.run/v2", not fagus.program/v1: want a program`},
		{"a field of another type", strings.Replace(aDocument, "[]", "3", 1), "", "its document fagus.program/v1 is wrong: json: "},
		{"another mode", strings.Replace(aDocument, "threaded", "phase", 1), "", `it ran on 2 nodes of "shm" in "phase" mode`},
		{"other nodes", strings.Replace(aDocument, "2", "3", 1), "", `it ran on 3 nodes`},
		{"no total", strings.Replace(aDocument, "total", "sum", 1), "", "no total time"},
		{"no times", strings.Replace(aDocument, "time_ns", "time", 1), "", "no total time"},
		{"no measured total", strings.Replace(aDocument, `"ranks"`, `"measured_time_ns": {}, "ranks"`, 1), "", "no total time"},
		{"a time of centuries", strings.Replace(aDocument, "4", "9223372036854775807", 1), "", `a time of 9223372036854775807 ns for "compute"`},
		{"an impossible path", strings.Replace(aDocument, `"ranks"`, `"critical_time_ns": {"total": -3}, "ranks"`, 1), "", `a time of -3 ns for "total"`},
		{"less than no time", strings.Replace(aDocument, "4", "-4", 1), "", `a time of -4 ns for "compute"`},
	} {
		d, beside, err := readDocument([]byte(c.out), schema)
		if err == nil {
			err = d.check(cfg)
		}
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: %v, want %s", c.name, err, c.wrong)
			}
		case err != nil || beside != c.beside || d.TimeNs["total"] != 5:
			t.Errorf("%s: %+v, %q beside, %v", c.name, d, beside, err)
		}
	}
}

func FuzzReadDocument(f *testing.F) {
	f.Add([]byte(aDocument))
	f.Add([]byte("a\n" + aDocument + "b\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		d, _, err := readDocument(out, schema)
		if (err == nil) != (d != nil && d.Schema == schema) {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

func TestFlagsOf(t *testing.T) {
	for want, cfg := range map[string]runflags.Config{
		"--json --net dimmnet1 --nodes 3 --mode phase --transfer push --env B --seed 7":                      {Network: runflags.Named(runflags.DIMMnet1)[0], Nodes: 3, Config: fagus.Config{Transfer: fagus.Push}, Env: "B", Seed: 7},
		"--json --net tcp --nodes 2 --mode threaded --transfer auto --notices":                               {Network: runflags.Named(runflags.TCP)[0], Nodes: 2, Config: fagus.Config{Mode: fagus.Threaded, Notices: true}},
		"--json --net udp100 --nodes 2 --mode threaded --transfer rings --env A --loss 0.05 --reorder 1e-07": {Network: runflags.Named(runflags.UDP100)[0], Nodes: 2, Config: fagus.Config{Mode: fagus.Threaded, Transfer: fagus.Rings}, Env: "A", Faults: runflags.Faults{Loss: 0.05, Reorder: 1e-7}},
		"--json --net inproc --nodes 2 --mode phase --transfer auto":                                         {Network: runflags.Named(runflags.Inproc)[0], Nodes: 2, Faults: runflags.Faults{Loss: 0.05}},
	} {
		if got := strings.Join(flagsOf(&cfg), " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestCommandLine(t *testing.T) {
	const want = `./a-b --n=1,2 '' 'a b' '$x' 'it'\''s'`
	if got := CommandLine([]string{"./a-b", "--n=1,2", "", "a b", "$x", "it's"}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestCapture(t *testing.T) {
	var calls int
	c := capture{most: 10, full: func() { calls++ }}
	if text := c.excerpt(); text != "" {
		t.Errorf("of nothing: %q", text)
	}
	for _, text := range []string{"0123\n56", "789", "", "ab", strings.Repeat("c", 3*mostTail), "\nlast\n"} {
		if n, err := c.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	text := c.excerpt()
	if string(c.head) != "0123\n56789" || !c.lost || calls != 1 || len(c.tail.last) != mostTail || !strings.HasPrefix(text, "; it says\n  0123\n  56789\n  ...\n  ccc") || !strings.HasSuffix(text, "...\n  last") {
		t.Errorf("head %q, %d calls, excerpt %q", c.head, calls, text)
	}
}

// TestTimelineOfNoFile: a program that puts a pipe or a device in the place of its timeline is told
// at once.
func TestTimelineOfNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if out, err := exec.Command("mkfifo", pipe).CombinedOutput(); err != nil {
		t.Skipf("mkfifo: %v %s", err, out)
	}
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{pipe, link, dir} {
		if _, err := readTimeline(path, 2); !errors.Is(err, errNoTimeline) {
			t.Errorf("%s: %v, want %v", path, err, errNoTimeline)
		}
	}
}

// TestCleanTexts: what would command a terminal is replaced.
func TestCleanTexts(t *testing.T) {
	d := Document{Summary: fagus.Summary{Serial: []fagus.SerialTime{{Text: "a\x1b[31mb\a", Variable: "v\n"}}}}
	d.clean()
	if got := d.Serial[0]; got.Text != "a\ufffd[31mb\ufffd" || got.Variable != "v\ufffd" {
		t.Errorf("%+v", got)
	}
}
