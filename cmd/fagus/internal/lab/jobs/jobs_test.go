//go:build linux

package jobs

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// TestLeftovers: what a job leaves is counted, and its processes are killed.
func TestLeftovers(t *testing.T) {
	for script, want := range map[string]struct {
		left leftovers
		why  string
	}{
		``:                              {},
		`sleep 100 >/dev/null 2>&1 &`:   {left: leftovers{Processes: 1}},
		`: >$TMPDIR/core`:               {left: leftovers{Files: 1}},
		`: >$LAB_FILE`:                  {left: leftovers{Segments: 1}},
		`exit 3`:                        {why: "exit status 3"},
		`echo oops >&2`:                 {why: "oops"},
		`echo fagus: warning: slow >&2`: {},
		`verified=false`:                {why: "the result is wrong"},
		`nodes=5`:                       {why: "the report is of ep on 5 nodes of shm"},
		`cut=x`:                         {why: "its report: "},
	} {
		folder := t.TempDir()
		memory := t.TempDir() // other jobs have files in /dev/shm
		t.Setenv("LAB_FILE", memory+"/fagus-lab-test")
		self := filepath.Join(folder, "fagus")
		text := "#!/bin/sh\n" + script + "\necho \"$cut{\\\"schema\\\": \\\"fagus.run/v2\\\", \\\"app\\\": \\\"ep\\\", \\\"net\\\": \\\"shm\\\", \\\"nodes\\\": ${nodes-2}, \\\"verified\\\": ${verified-true}}\"\n"
		if err := os.WriteFile(self, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
		c := &campaign{fagus: experiment.Fagus{Path: self}, folder: t.TempDir(), memory: memory, leave: 200 * time.Millisecond}
		r := row{Network: "shm"}
		why, err := c.runOne(context.Background(), &r, []string{"run", "ep", "--net", "shm", "--nodes", "2"})
		if err != nil {
			t.Fatal(err)
		}
		wrong := want.why != ""
		if r.Left != want.left || (r.Wrong == 1) != wrong || !strings.Contains(why, want.why) || (why == "") != (!wrong && want.left.sum() == 0) {
			t.Errorf("%q: left %+v, wrong %d: %q; want %+v", script, r.Left, r.Wrong, why, want)
		}
		if running := experiment.Processes(markOf("shm", 0)); len(running) > 0 && want.left.Processes > 0 {
			time.Sleep(100 * time.Millisecond)
			if running = experiment.Processes(markOf("shm", 0)); len(running) > 0 {
				t.Errorf("%d processes are not killed", len(running))
			}
		}
	}
}

// TestSockets: an abstract socket that no process holds is left; one of another process is not.
func TestSockets(t *testing.T) {
	before := things{map[string]uint64{}, map[string]uint64{"@fagus-old": 1}}
	now := things{map[string]uint64{}, map[string]uint64{"@fagus-old": 1, "@fagus-new": 1<<63 + 5}}
	if l := now.since(before); l != (leftovers{Sockets: 1}) {
		t.Errorf("%+v", l)
	}
	name := fmt.Sprintf("@fagus-lab-test-%d", os.Getpid())
	own, err := net.Listen("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	here := survey(sharedMemory)
	before = things{here.segments, maps.Clone(here.sockets)}
	delete(before.sockets, name)
	if l := here.since(before); here.sockets[name] == 0 || l != (leftovers{}) {
		t.Errorf("%s is held by this process, and %+v: inode %d", name, l, here.sockets[name])
	}
}

// TestDraw: a seed always draws the same jobs, all programs are drawn, and their flags differ.
func TestDraw(t *testing.T) {
	seen := map[string]bool{}
	texts := map[string]bool{}
	for _, again := range []bool{false, true} {
		random := rand.New(rand.NewPCG(7, 0))
		for range 1000 {
			args := draw(random, runflags.TCP, []int{2, 64})
			seen[args[1]] = true
			text := line(args)
			if again && !texts[text] {
				t.Fatalf("the same seed draws %s", text)
			}
			texts[text] = true
			if slices.Contains([]string{"ep", "is", "mg", "cg", "bt", "sp", "ssor", "conjugate"}, args[1]) && args[slices.Index(args, "--nodes")+1] == "64" {
				t.Errorf("too many ranks: %s", text)
			}
		}
	}
	if len(seen) != len(kinds()) || len(texts) < 900 {
		t.Errorf("%d of %d programs, %d different jobs of 1000", len(seen), len(kinds()), len(texts))
	}
}
