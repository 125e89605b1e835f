//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// lesson is a block of a page of docs/guide.
type lesson struct {
	info string // what follows the backquotes: the language and a word
	text string
}

// lessons returns the blocks of a page of docs/guide.
func lessons(t *testing.T, name string) (blocks []lesson) {
	t.Helper()
	page, err := os.ReadFile("../../docs/guide/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?ms)^```(\\S.*?)\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		blocks = append(blocks, lesson{m[1], m[2]})
	}
	return blocks
}

// TestTutorial writes the files of docs/guide/tutorial.md, and executes its commands one after
// another. Where network namespaces can be made, two of them are its two hosts.
func TestTutorial(t *testing.T) {
	longtest.Need(t)
	followPage(t, "tutorial.md")
}

// TestTravelPage does the same with docs/guide/travel.md.
func TestTravelPage(t *testing.T) {
	longtest.Need(t)
	followPage(t, "travel.md")
}

// TestSlowPage does the same with docs/guide/slow.md.
func TestSlowPage(t *testing.T) {
	longtest.Need(t)
	followPage(t, "slow.md")
}

// TestStuckPage does the same with docs/guide/stuck.md.
func TestStuckPage(t *testing.T) {
	longtest.Need(t)
	cache, err := os.MkdirTemp("", "f") // has the sockets of the ranks: a short path
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(cache)
	t.Setenv("XDG_CACHE_HOME", cache)
	followPage(t, "stuck.md")
}

// TestReplayPage does the same with docs/guide/replay.md.
func TestReplayPage(t *testing.T) {
	longtest.Need(t)
	followPage(t, "replay.md")
}

func followPage(t *testing.T, name string) {
	t.Helper()
	work, fagus := t.TempDir(), command(t, "fagus")
	dir := work
	for i, block := range lessons(t, name) {
		kind, word, _ := strings.Cut(block.info, " ")
		switch {
		case kind == "go":
			if err := os.WriteFile(filepath.Join(work, word), []byte(block.text), 0o666); err != nil {
				t.Fatal(err)
			}
		case word == "hosts":
			dir := dir // later blocks go on in other folders
			t.Run("hosts", func(t *testing.T) {
				h := newHosts(t, 2)
				hosts := "--hosts " + strings.Join(h.Hosts, ",") + " --rsh 'ip netns exec %h'"
				follow(t, fagus, dir, strings.ReplaceAll(block.text, "--hosts a,b", hosts))
			})
		default:
			if dir = follow(t, fagus, dir, block.text); t.Failed() {
				t.Fatalf("in block %d of docs/guide/%s", i+1, name)
			}
		}
	}
}

// follow executes the commands of a block, which begin with a dollar sign, and compares what they
// print with the lines behind them. It returns the folder in which the next block begins.
func follow(t *testing.T, fagus, dir, text string) string {
	t.Helper()
	for part := range strings.SplitSeq("\n"+text, "\n$ ") {
		line, want, _ := strings.Cut(part, "\n")
		if line == "" {
			continue
		}
		if to, ok := strings.CutPrefix(line, "cd "); ok {
			dir = filepath.Join(dir, to)
			continue
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(fagus)+string(filepath.ListSeparator)+os.Getenv("PATH"), "GOFLAGS=-mod=mod")
		out, _ := cmd.CombinedOutput() // a wrong program fails: its output says so
		if !alike(strings.Split(strings.TrimRight(string(out), "\n"), "\n"), strings.Split(strings.TrimRight(want, "\n"), "\n")) {
			t.Errorf("%s prints\n%s\nwant\n%s", line, out, want)
		}
	}
	return dir
}

// measure matches what differs from run to run: times and fractions, the widths of tables, and the
// rank that fails first. The time of a run by the virtual clock does not.
var measure = regexp.MustCompile(`[0-9.]+ (ns|us|ms|s|%)|─+|rank \d+|[[.]\w*\d+[\].\d]*| +`)

// steady returns a line without what differs from run to run.
func steady(line string) string {
	if strings.HasSuffix(line, " by the virtual clock") {
		return line
	}
	return measure.ReplaceAllString(line, "#")
}

// alike compares lines. A line "..." of want stands for any number of lines.
func alike(got, want []string) bool {
	for i, line := range want {
		if line == "..." {
			for skip := range len(got) - i + 1 {
				if alike(got[i+skip:], want[i+1:]) {
					return true
				}
			}
			return false
		}
		if i >= len(got) || steady(got[i]) != steady(line) {
			return false
		}
	}
	return len(got) == len(want)
}
