//go:build linux

package cluster_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	}, cluster.AllDrivers()...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`

// twoBuilds finds the version and the digest of a program in a refusal.
var twoBuilds = regexp.MustCompile(`runs "example.com/app (v0.0.0-[^ ]+|\(devel\)), fagus \(devel\), program [0-9a-f]{8}"`)

// TestTwoBuilds builds a program at two revisions of its repository, twice with the same changes
// that are not committed but for a string, and twice without a repository. Ranks of one build run;
// ranks of two are refused, on each kind of meeting point, with both versions.
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
	write(".gitignore", []byte("/build-*\n"))
	run("git", "init", "-q")
	build := func(name, vcs, says string) {
		write("main.go", []byte(strings.ReplaceAll(program, "runs", says)))
		run("go", "build", "-mod=mod", "-buildvcs="+vcs, "-o", "build-"+name, ".")
	}
	for _, says := range []string{"runs", "starts"} {
		write("main.go", []byte(strings.ReplaceAll(program, "runs", says)))
		run("git", "add", ".")
		run("git", "-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false", "commit", "-q", "-m", says)
		build(says, "true", says)
	}
	build("dirty-1", "true", "walks")
	build("dirty-2", "true", "walk5")
	build("devel-1", "false", "walks")
	build("devel-2", "false", "walk5")
	for _, c := range []struct {
		name, at, net string
		identity      []string
	}{
		{"shm", "unix:@" + t.Name() + fmt.Sprint(os.Getpid()), "shm", nil},
		{"tcp, one host", freePort(t), "tcp", nil},
		{"tcp, identities", freePort(t), "tcp", []string{identities(t, 2)}},
	} {
		for _, builds := range [][2]string{{"runs", "runs"}, {"runs", "starts"}, {"dirty-1", "dirty-1"}, {"dirty-1", "dirty-2"}, {"devel-1", "devel-1"}, {"devel-1", "devel-2"}} {
			same := builds[0] == builds[1]
			var all []*process
			for rank, build := range builds {
				cmd := exec.CommandContext(within(t), filepath.Join(dir, "build-"+build))
				cmd.Env = append(os.Environ(), "FAGUS_SIZE=2", "FAGUS_JOB="+t.Name(), "FAGUS_RENDEZVOUS="+c.at, "FAGUS_NET="+c.net, fmt.Sprintf("FAGUS_RANK=%d", rank))
				all = append(all, startProcess(t, cmd, c.identity...))
			}
			for rank, p := range all {
				printed, _ := p.stdout.ReadString('\n')
				output, err := p.end()
				switch {
				case same && (err != nil || printed == ""):
					t.Errorf("%s, %v: rank %d prints %q, %v: %s", c.name, builds, rank, printed, err, output)
				case !same && (err == nil || printed != "" || len(twoBuilds.FindAllString(output, -1)) != 2 || !strings.Contains(output, "build once, and copy the program to all hosts")):
					t.Errorf("%s, %v: rank %d prints %q, %v: %s; want an error with both versions", c.name, builds, rank, printed, err, output)
				}
			}
		}
	}
}
