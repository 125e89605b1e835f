//go:build linux

package cluster_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// program is a rank of a job that prints its rank when it has joined.
const program = `package main

import (
	"context"
	"fmt"
	"os"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
)

func main() {
	_, err := cluster.Run(context.Background(), fagus.Config{}, func(n *fagus.Node) error {
		fmt.Println("runs")
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`

// TestTwoBuilds builds a program at two revisions of its repository. Ranks of one revision run;
// ranks of both are refused, on each kind of meeting point, with both versions.
func TestTwoBuilds(t *testing.T) {
	longtest.Need(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git, from which the Go tool takes the revision")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(within(t), name, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
	}
	write := func(file string, text []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	copied := func(file string) []byte {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	const module = "module github.com/fagus-dsm/fagus"
	mod := strings.Replace(string(copied("go.mod")), module, "module example.com/app", 1)
	write("go.mod", fmt.Appendf(nil, "%s\nrequire github.com/fagus-dsm/fagus v0.0.0\nreplace github.com/fagus-dsm/fagus => %s\n", mod, root))
	write("go.sum", copied("go.sum"))
	write(".gitignore", []byte("/first\n/second\n"))
	run("git", "init", "-q")
	for i, build := range []string{"first", "second"} {
		write("main.go", fmt.Appendf(nil, "// Revision %d.\n%s", i, program))
		run("git", "add", ".")
		run("git", "-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false", "commit", "-q", "-m", build)
		run("go", "build", "-mod=mod", "-buildvcs=true", "-o", build, ".")
	}
	for _, c := range []struct {
		name, at, net string
		identity      []string
	}{
		{"shm", "unix:@" + t.Name() + fmt.Sprint(os.Getpid()), "shm", nil},
		{"tcp, one host", freePort(t), "tcp", nil},
		{"tcp, identities", freePort(t), "tcp", []string{identities(t, 2)}},
	} {
		for _, builds := range [][2]string{{"first", "first"}, {"first", "second"}} {
			same := builds[0] == builds[1]
			var all []*process
			for rank, build := range builds {
				cmd := exec.CommandContext(within(t), filepath.Join(dir, build))
				cmd.Env = append(os.Environ(), "FAGUS_SIZE=2", "FAGUS_JOB="+t.Name(), "FAGUS_RENDEZVOUS="+c.at, "FAGUS_NET="+c.net, fmt.Sprintf("FAGUS_RANK=%d", rank))
				all = append(all, startProcess(t, cmd, c.identity...))
			}
			for rank, p := range all {
				printed, _ := p.stdout.ReadString('\n')
				output, err := p.end()
				switch {
				case same && (err != nil || printed != "runs\n"):
					t.Errorf("%s, %v: rank %d prints %q, %v: %s", c.name, builds, rank, printed, err, output)
				case !same && (err == nil || printed != "" || strings.Count(output, `runs "example.com/app v0.0.0-`) != 2 || !strings.Contains(output, "start the same build on all hosts")):
					t.Errorf("%s, %v: rank %d prints %q, %v: %s; want an error with both versions", c.name, builds, rank, printed, err, output)
				}
			}
		}
	}
}
