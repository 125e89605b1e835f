package program_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/live/quic"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/gossip"
	"github.com/fagus-dsm/fagus/fagus/program"
)

// Variables that make the processes that a test starts as ranks run sleepy, or reads.
const (
	sleepyVariable = "FAGUS_TEST_SLEEPY"
	readsVariable  = "FAGUS_TEST_READS"
)

// TestMain runs a program instead of tests in the processes that a test starts as ranks.
func TestMain(m *testing.M) {
	if os.Getenv("FAGUS_RANK") != "" {
		run := count
		if os.Getenv(sleepyVariable) != "" {
			run = sleepy
		}
		if os.Getenv(readsVariable) != "" {
			run = reads
		}
		program.App{Name: "app", Run: run, Drivers: drivers()}.Main()
		return
	}
	os.Exit(m.Run())
}

// drivers are those of all tests.
func drivers() []cluster.Driver { return []cluster.Driver{gossip.Driver{}, quic.Driver{}} }

// sleepy does not return on rank 1, and waits for it on the others.
func sleepy(n *fagus.Node) error {
	if n.Rank() == 1 {
		time.Sleep(time.Hour)
	}
	return n.Barrier()
}

// reads prints what a rank finds in its standard input.
func reads(n *fagus.Node) error {
	text, err := io.ReadAll(os.Stdin)
	fmt.Printf("rank %d reads %q\n", n.Rank(), text)
	return errors.Join(err, n.Barrier())
}

// count returns an error unless every rank sees the increments of all.
func count(n *fagus.Node) error {
	sum, err := fagus.NewArray[int64](n, "sum", 1)
	if err != nil {
		return err
	}
	guard, err := n.Bind("guard", sum.All())
	if err != nil {
		return err
	}
	set := n.Set(fagus.Want(guard, fagus.Exclusive).Unordered())
	if err := n.Acquire(set); err != nil {
		return err
	}
	sum.Slice()[0]++
	n.Spend(fagus.Microsecond)
	if err := errors.Join(n.Release(set), n.Fence(), n.Acquire(set)); err != nil {
		return err
	}
	if got := sum.Slice()[0]; got != int64(n.Nodes()) {
		err = fmt.Errorf("the sum is %d, want %d", got, n.Nodes())
	}
	return errors.Join(err, n.Release(set))
}

// execute runs app and returns its exit code and outputs. Without flags app gets an empty set.
func execute(t *testing.T, app program.App, args ...string) (code int, out, errs string) {
	t.Helper()
	for _, name := range []string{"FAGUS_RANK", "FAGUS_SIZE", "FAGUS_JOB", "FAGUS_LINE"} {
		if os.Getenv(name) != "" {
			t.Setenv(name, "")
		}
	}
	if app.Flags == nil {
		app.Flags = flag.NewFlagSet("", flag.ContinueOnError)
	}
	if app.Name == "" {
		app.Name = "app"
	}
	var stdout, stderr strings.Builder
	code = app.Execute(t.Context(), args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// TestNetworks runs a program on every network in both modes.
func TestNetworks(t *testing.T) {
	for _, net := range []string{"inproc", "dimmnet1", "dimmnet2", "udp100", "shm", "tcp", "quic"} {
		for _, mode := range []string{"phase", "threaded"} {
			if runtime.GOOS != "linux" && slices.Contains([]string{"shm", "tcp", "quic"}, net) {
				continue // ranks of one host meet at an abstract socket
			}
			code, out, errs := execute(t, program.App{Run: count, Drivers: drivers()}, "--net", net, "--nodes", "3", "--mode", mode)
			want := fmt.Sprintf("app on 3 nodes, %s mode, %s, ", mode, net)
			if code != 0 || !strings.Contains(out, want) || !strings.Contains(out, "\n3 ranks, ") || errs != "" {
				t.Errorf("%s, %s: code %d, output %q, errors %q", net, mode, code, out, errs)
			}
		}
	}
}

// TestExitCodes: an error has the exit code of fagus run, and its text follows the program's name.
func TestExitCodes(t *testing.T) {
	fails := func(*fagus.Node) error { return errors.New("no bread") }
	hangs := func(n *fagus.Node) error {
		if n.Rank() == 0 {
			return n.Barrier()
		}
		for n.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		return n.Err()
	}
	for _, c := range []struct {
		app  program.App
		args string
		code int
		want string
	}{
		{program.App{Run: fails}, "", 1, "app: rank "},
		{program.App{Run: fails, Name: "oven"}, "", 1, "oven: rank "},
		{program.App{}, "", 1, "app: App.Run is nil"},
		{program.App{Run: count}, "--nods 3", 2, "app: no flag --nods; did you mean --nodes? See 'app --help'"},
		{program.App{Run: count}, "--sise=3", 2, "app: no flag --sise; see 'app --help'"},
		{program.App{Run: count}, "--nodes", 2, "app: --nodes: want a whole number after it; see 'app --help'"},
		{program.App{Run: count}, "--nodes x", 2, `app: --nodes "x": want a whole number; see 'app --help'`},
		{program.App{Run: count}, "--nodes 0x2", 2, `app: --nodes "0x2": want a whole number; see 'app --help'`},
		{program.App{Run: count}, "--nodes 99999999999999999999", 2, `app: --nodes "99999999999999999999": want a whole number of at most 64 bits`},
		{program.App{Run: count}, "--loss NaN", 2, `app: --loss "NaN": want a number`},
		{program.App{Run: count, Flags: sized()}, "--size 0x10", 2, `app: --size "0x10": want a whole number; see 'app --help'`},
		{program.App{Run: count, Flags: sized()}, "--size 1_0", 2, `app: --size "1_0": want a whole number; see 'app --help'`},
		{program.App{Run: count}, "surplus", 2, `app: unexpected argument "surplus"; see 'app --help'`},
		{program.App{Run: count}, "--net quic", 2, `app: cluster: the network quic: this program is without the driver quic: import "github.com/fagus-dsm/fagus/dimmnet/live/quic", and pass quic.Driver{} to program.Main`},
		{program.App{Run: count}, "--net tcp --hosts a,b", 2, `app: cluster: ranks on several hosts: this program is without the driver gossip: import "github.com/fagus-dsm/fagus/fagus/cluster/gossip", and pass gossip.Driver{} to program.Main`},
		{program.App{Run: count}, "--checkpoint s3://b/p", 2, `app: --checkpoint s3://b/p: this program is without the driver s3: import "github.com/fagus-dsm/fagus/fagus/checkpoint/s3", and pass s3.Driver{} to program.Main`},
		{program.App{Run: count}, "--checkpoint ftp://b/p", 2, `app: --checkpoint ftp://b/p: this program has no stores of the kind ftp: use a directory`},
		{program.App{Run: count}, "--net pigeon", 2, `app: --net "pigeon": want dimmnet1, `},
		{program.App{Run: count}, "--timeline x.png", 2, "app: --timeline x.png: want a name that ends in .svg or .json"},
		{program.App{Run: count}, "--timeline nowhere/x.svg", 3, "app: cannot write to folder nowhere"},
		{program.App{Run: count}, "--nodes 1000 --net dimmnet1 --transfer rings", 2, "at most 745"},
		{program.App{Run: count, Check: func() error { return errors.New("FILE is missing") }}, "", 2, "app: FILE is missing"},
		{program.App{Run: hangs}, "--timeout 50ms", 124, "the --timeout of 50ms is over"},
	} {
		code, out, errs := execute(t, c.app, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(errs, c.want) || out != "" {
			t.Errorf("%s: code %d, output %q, errors %q: want code %d and %q", c.args, code, out, errs, c.code, c.want)
		}
	}
}

// sized returns flags of a program, one of which is a number.
func sized() *flag.FlagSet {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.Int("size", 1, "")
	return flags
}

// TestDecimal: numbers are decimal in the flags of a program's own and of all programs, and in
// variables.
func TestDecimal(t *testing.T) {
	for _, own := range []string{"--nodes 010 --size=011", "--size 011"} {
		t.Setenv("FAGUS_NODES", "010")
		flags, nodes := sized(), 0
		app := program.App{Flags: flags, Run: func(n *fagus.Node) error {
			if n.Rank() == 0 {
				nodes = n.Nodes()
			}
			return nil
		}}
		code, _, errs := execute(t, app, strings.Fields(own)...)
		if size := flags.Lookup("size").Value.String(); code != 0 || nodes != 10 || size != "11" {
			t.Errorf("%s: code %d, %d nodes, size %s, errors %q", own, code, nodes, size, errs)
		}
	}
}

// TestOtherInput: a run with another argument, or flag that is not in App.Vary, does not resume.
func TestOtherInput(t *testing.T) {
	dir := t.TempDir()
	resumed := false
	run := func(n *fagus.Node) error {
		resumed = n.Resume()
		return n.Checkpoint()
	}
	for i, c := range []struct{ args, want string }{
		{"--size 5 --out a in", ""},
		{"in --out b --size=5", ""},
		{"--size 6 in", "was made with --size=5, and this run has --size=6: "},
		{"--size 5 other", `was made with argument 1: "in", and this run has argument 1: "other": `},
		{"--size 5", `was made with argument 1: "in", and this run has less: `},
	} {
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		flags.Int("size", 1, "")
		flags.String("out", "", "")
		app := program.App{Run: run, Args: "[FILE]", Flags: flags, Vary: []string{"out"}}
		code, _, errs := execute(t, app, append(strings.Fields(c.args), "--nodes", "1", "--checkpoint", dir, "--checkpoint-every", "0s")...)
		if (code == 0) != (c.want == "") || !strings.Contains(errs, c.want) || resumed != (i > 0 && c.want == "") {
			t.Errorf("%s: code %d, resumed %v, errors %q, want %q", c.args, code, resumed, errs, c.want)
		}
	}
}

// TestTimeoutOfProcesses: after --timeout a rank that sleeps outside calls ends, too, and says what
// it does. The exit code says timeout, whichever rank notices it first.
func TestTimeoutOfProcesses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ranks of one host meet at an abstract socket")
	}
	t.Setenv(sleepyVariable, "1")
	for i, net := range []string{"shm", "tcp"} {
		if i > 0 && testing.Short() {
			continue
		}
		began := time.Now()
		code, out, errs := execute(t, program.App{Run: count}, "--net", net, "--nodes", "3", "--timeout", "2s")
		want := "1: app: the --timeout of 2s is over: a rank has not returned within 500ms\n"
		if code != 124 || out != "" || !strings.Contains(errs, want) || !strings.Contains(errs, "rank 1: has made no call yet") {
			t.Errorf("%s: code %d after %v, output %q, errors %q, want code 124, what rank 1 does, and %q", net, code, time.Since(began), out, errs, want)
		}
	}
}

// TestStandardInput: where ranks are processes of this host, rank 0 gets the standard input.
func TestStandardInput(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ranks of one host meet at an abstract socket")
	}
	t.Setenv(readsVariable, "1")
	defer func(own *os.File) { os.Stdin = own }(os.Stdin)
	for _, net := range []string{"shm", "tcp"} {
		path := filepath.Join(t.TempDir(), "input")
		if err := os.WriteFile(path, []byte("words\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		input, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		os.Stdin = input
		code, out, errs := execute(t, program.App{Run: reads}, "--net", net, "--nodes", "3")
		_ = input.Close() // it was read
		for rank, want := range []string{"words\n", "", ""} {
			if want = fmt.Sprintf("rank %d reads %q\n", rank, want); code != 0 || !strings.Contains(out, want) {
				t.Errorf("%s: code %d, output %q, errors %q, want %q", net, code, out, errs, want)
			}
		}
	}
}

// TestMixed: flags of the program and standard flags may come before, between and after arguments.
func TestMixed(t *testing.T) {
	for _, c := range []struct {
		args, rest string
		size       int
		fast       bool
	}{
		{"", "", 7, false},
		{"a b --size 3 --nodes 2", "a b", 3, false},
		{"--size=3 a --fast b", "a b", 3, true},
		{"--nodes 2 --fast a -size 4", "a", 4, true},
		{"a -- --size 3", "a --size 3", 7, false},
		{"-- --fast", "--fast", 7, false},
	} {
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		size, fast := flags.Int("size", 7, ""), flags.Bool("fast", false, "")
		code, _, errs := execute(t, program.App{Run: count, Flags: flags, Args: "FILE..."}, strings.Fields(c.args)...)
		set := 0
		flags.Visit(func(*flag.Flag) { set++ })
		if code != 0 || strings.Join(flags.Args(), " ") != c.rest || *size != c.size || *fast != c.fast || (set > 0) != (c.size != 7 || c.fast) {
			t.Errorf("%q: code %d, size %d, fast %v, arguments %q, %d flags set, errors %q", c.args, code, *size, *fast, flags.Args(), set, errs)
		}
	}
}

// TestClash: a flag with the name of a standard flag is an error before anything runs.
func TestClash(t *testing.T) {
	for _, name := range []string{"nodes", "json", "h", "help"} {
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		flags.Int(name, 7, "")
		ran := false
		code, _, errs := execute(t, program.App{Flags: flags, Run: func(*fagus.Node) error { ran = true; return nil }})
		if want := fmt.Sprintf("app: the program's own flag --%s has the name of a standard flag: rename it\n", name); code != 2 || errs != want || ran {
			t.Errorf("flag %s: code %d, ran %v, errors %q", name, code, ran, errs)
		}
	}
}

// TestHelp: the help text has the program's own flags and the standard ones, but no flags of the
// test binary.
func TestHelp(t *testing.T) {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.Int("size", 7, "rows of the `GRID`")
	flags.Bool("test.fast", false, "")
	for _, arg := range []string{"--help", "-h"} {
		code, out, errs := execute(t, program.App{Run: count, About: "counts bread", Args: "[FILE]", Flags: flags}, arg)
		for _, want := range []string{"app - counts bread", "app [flags] [FILE]", "./app --net shm --nodes 4", "--size GRID", "(default: 7)", "--net value", "--check", "FAGUS_NODES"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: %q is missing in\n%s", arg, want, out)
			}
		}
		if code != 0 || errs != "" || strings.Contains(out, "test.fast") {
			t.Errorf("%s: code %d, errors %q, output\n%s", arg, code, errs, out)
		}
	}
}

// TestOutputs: the report is a text, one document, or nothing.
func TestOutputs(t *testing.T) {
	code, out, errs := execute(t, program.App{Run: count}, "--quiet", "--check")
	if code != 0 || out != "" || errs != "" {
		t.Errorf("--quiet: code %d, output %q, errors %q", code, out, errs)
	}
	code, out, _ = execute(t, program.App{Run: count}, "--net", "udp100", "--loss", "0.1", "--seed", "3", "--verify-history")
	for _, want := range []string{"udp100 (10 % loss)", "3 (virtual time)", "history: 4 tenures of 1 variable keep the axioms", "trace hash "} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("code %d: %q is missing in\n%s", code, want, out)
		}
	}
	picture := filepath.Join(t.TempDir(), "run.svg")
	code, out, errs = execute(t, program.App{Run: count}, "--json", "--net", "dimmnet1", "--timeline", picture)
	var d struct {
		Schema, Program, Mode, Net, Clock string
		Nodes                             int
		fagus.Summary
		TraceHash string `json:"trace_hash"`
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != 0 || errs != "" {
		t.Fatalf("code %d, %v, errors %q, output\n%s", code, err, errs, out)
	}
	if d.Schema != "fagus.program/v1" || d.Program != "app" || d.Mode != "phase" || d.Net != "dimmnet1" || d.Clock != "virtual" || d.Nodes != 2 || len(d.Ranks) != 2 || d.TraceHash == "" {
		t.Errorf("document\n%s", out)
	}
	if text, err := os.ReadFile(picture); err != nil || !strings.Contains(string(text), ">rank 1</text>") {
		t.Errorf("picture %s, %v", text, err)
	}
}

// TestTimelineOfProcesses: rank 0 writes the times of the ranks in other processes, too.
func TestTimelineOfProcesses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ranks of one host meet at an abstract socket")
	}
	picture, document := filepath.Join(t.TempDir(), "run.svg"), filepath.Join(t.TempDir(), "run.json")
	written := map[string]string{}
	for _, path := range []string{picture, document} {
		code, _, errs := execute(t, program.App{Run: count}, "--net", "shm", "--nodes", "3", "--timeline", path)
		text, err := os.ReadFile(path)
		if code != 0 || err != nil {
			t.Fatalf("code %d, errors %q, %v", code, errs, err)
		}
		written[path] = string(text)
	}
	if text := written[picture]; !strings.Contains(text, ">rank 2</text>") || !strings.Contains(text, ">wall time (") {
		t.Errorf("picture %s", text)
	}
	var d struct {
		Schema, Clock string
		Ranks         [][][3]int64
	}
	if err := json.Unmarshal([]byte(written[document]), &d); err != nil || d.Schema != "fagus.timeline/v1" || d.Clock != "wall" || len(d.Ranks) != 3 || len(d.Ranks[2]) == 0 {
		t.Errorf("document %s, %v", written[document], err)
	}
}
