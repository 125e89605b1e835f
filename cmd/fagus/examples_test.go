package main

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// exemption says why an example line is not run, or not run as it stands.
type exemption struct {
	part   *regexp.Regexp // of the line
	reason string         // why the line is not run; "" if it is
	as     string         // what is run in the place of that part
}

// exemptions are the example lines that are not run as they stand. The parts of lines that say how
// large a run is are replaced, so that all lines together take a minute.
func exemptions() (all []exemption) {
	for _, x := range [][2]string{
		{"--hosts ", "needs other hosts, by ssh: TestHosts runs such lines in network namespaces"},
		{"mpirun ", "needs an MPI launcher: mpirun.txtar runs such lines"},
		{"make -C bench", "needs Open MPI, MPICH or OpenBLAS: .ci/run makes and runs it"},
		{"bench --gemm", "needs OpenBLAS: gemm.txtar runs it with a script in its place"},
		{"--peers", "needs MPI libraries: .ci/run and peersmpi.txtar run it"},
		{"--net ofi", "needs a program built with -tags ofi, and libfabric"},
		{"cmd/libfagus", "needs a C compiler: the tests of cmd/libfagus make and run it"},
		{"go test ./...", "runs this test"},
		{"github.com/fagus-dsm/fagus", "needs the network, and the repository at its address"},
		{"fagus top ", "needs a running job: TestMetrics has some"},
		{"fagus profile ", "needs a running job: TestMetrics has some"},
		{"go tool pprof", "needs a profile: TestMetrics writes some"},
		{"launch scale", "needs a running job: checkpoint.txtar has one"},
		{"lab results", "takes half a minute with --quick: results.txtar runs it"},
		{"--case swarm.json", "needs a failed case: swarm.txtar has one"},
	} {
		all = append(all, exemption{part: regexp.MustCompile(regexp.QuoteMeta(x[0])), reason: x[1]})
	}
	all = append(all, exemption{part: regexp.MustCompile("compare (" + strings.Join(likeCG(), "|") + ")( |$)"), reason: "is made as the lines of fagus compare cg are, which are run"})
	for _, x := range [][2]string{
		{"(compare cg)(.*)", "$1 --class S --repeat 1$2"},
		{"--n 512,1024(,2048)?", "--n 32,64"}, {"(compare matmul)( --out| --sync| --loss| --net|$)", "$1 --n 32,64$2"}, {"(compare matmul) --n 512 ", "$1 --n 64 "},
		{"--class [AW]", "--class S"}, {"--keys 8388608", "--keys 65536"}, {"--molecules 1728 --steps 10", "--molecules 64 --steps 2"},
		{"--bodies 65536", "--bodies 1024"}, {"--points 100000", "--points 2000"}, {"--words 10000000", "--words 20000"}, {"--grid 300", "--grid 40"},
		{"--pages 500000 --links 5000000", "--pages 500 --links 5000"}, {"--width 1920 --height 1080", "--width 192 --height 108"},
		{"--n (2048|4000|1024)", "--n 128"}, {"--length 20000000", "--length 20000"}, {"--columns 4000 --rows 4000", "--columns 400 --rows 400"},
		{"--cities 16", "--cities 11"}, {"run sor --n 400", "run sor --n 60"},

		{"^(fagus checkpoint diff .*)", "$1 || [ $$? = 1 ]"},
		{"^fagus new life", "rm -rf life && fagus new life"},
		{"^fagus new --example halo waves", "rm -rf waves && fagus new --example halo waves"},
		{"(sweep transfer|sweep mpi)( --net .*|$)", "$1 --n 64$2"}, {"sweep barrier$", "sweep barrier --nodes 2..256"},
		{"sweep variables(.*)", "sweep variables$1 --bytes 8 --rounds 2"}, {"sweep imbalance(.*)", "sweep imbalance$1 --tasks 16"},
		{"sweep scale.*", "sweep scale --nodes 2,14 stencil"},
		{"(sweep .*--net inproc.*)", "$1 --repeat 1"}, {"lab reproduce( colony| --json|$)", "lab reproduce$1 --rounds 100"}, {"./apps/...", "./apps/sor"},
		{"lab swarm( --kinds|$)", "lab swarm --seconds 1$1"}, {"--seconds (300|600)", "--seconds 1"},
		{"lab faults( --json|$)", "lab faults --net shm --only killed$1"}, {"lab faults --restart 3$", "lab faults --restart 3 --net shm --only 'rank 2 is killed'"},
		{"--kills 200 --host-faults 100", "--net shm --kills 1"}, {"--net quic --only 'sends nothing'", "--net shm --only 'rank 2 gets'"},
		{"--time (1m|2h)", "--time 2s"}, {"campaign --net tcp", "campaign --time 2s --net tcp"},
		{"lab jobs$", "lab jobs --jobs 1"}, {"--jobs 1000", "--jobs 1"}, {"--jobs 5 --nodes 64", "--jobs 1 --nodes 4"},
		{"bench --overlap( --net|$)", "bench --overlap --samples 1 --kernel 20ms$1"}, {"--kernel 20ms --net tcp --kernel", "--net tcp --kernel"},
		{"(bench --net [^-]*)", "$1 --samples 3 --batch 1ms "},
	} {
		all = append(all, exemption{part: regexp.MustCompile(x[0]), as: x[1]})
	}
	return all
}

// likeCG returns the programs whose lines of fagus compare differ from the lines of cg only in
// names.
func likeCG() (names []string) {
	for _, p := range catalog.Programs() {
		if p.Name != "matmul" && p.Name != "cg" {
			names = append(names, p.Name)
		}
	}
	return names
}

// TestExamples runs the example lines of README.md and docs/reference/cli.md as a user runs them:
// in a shell, in a copy of the repository, with what `fagus data` writes. Each must end with exit
// code 0.
func TestExamples(t *testing.T) {
	longtest.Need(t)
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("the examples are lines for bash: ", err)
	}
	t.Parallel() // the lines often wait
	clone, env := freshClone(t)
	shell(t, clone, env, "fagus data")
	for _, example := range exampleLines(t) {
		t.Run(strings.ReplaceAll(example, "/", "|"), func(t *testing.T) {
			line := example
			for _, x := range exemptions() {
				if x.part.MatchString(line) && x.reason != "" {
					t.Skip(x.reason)
				}
				line = x.part.ReplaceAllString(line, x.as)
			}
			for _, program := range []string{"jq", "man"} {
				if _, err := exec.LookPath(program); err != nil && strings.Contains(line, "| "+program+" ") {
					t.Skip(err)
				}
			}
			where := clone
			// These write nothing, and what they compile is compiled here already.
			if strings.HasPrefix(line, "go ") || strings.HasPrefix(line, "fagusvet ") {
				where = "../.."
			}
			shell(t, where, env, line)
		})
	}
}

// startsCommand matches the lines of README.md that are for a shell.
var startsCommand = regexp.MustCompile(`^(fagus[cv]?|fagusvet|make|go|mpirun|source) `)

// exampleLines returns the example lines of both pages, without remarks.
func exampleLines(t *testing.T) (all []string) {
	t.Helper()
	remark := regexp.MustCompile(`\s+# .*$`)
	for _, page := range []string{"../../README.md", "../../docs/reference/cli.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		readme, examples, n := strings.HasSuffix(page, "README.md"), false, len(all)
		for line := range strings.Lines(string(text)) {
			line = strings.TrimRight(line, "\n")
			code, indented := strings.CutPrefix(line, "    ")
			switch {
			case line == "Examples:":
				examples = true
			case line != "" && !indented:
				examples = false
			case indented && (examples || readme && startsCommand.MatchString(code)):
				all = append(all, remark.ReplaceAllString(code, ""))
			}
		}
		if len(all)-n < 5 {
			t.Fatalf("%s shows %d lines for a shell", page, len(all)-n)
		}
	}
	return all
}

// shell runs a line in a folder, and fails the test if its exit code is not 0.
func shell(t *testing.T, dir string, env []string, line string) {
	t.Helper()
	const limit = 3 * time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-o", "pipefail", "-c", line)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, 5*time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v; the last of its output is\n%s", line, err, out[max(0, len(out)-2000):])
	}
}

// freshClone returns a copy of the repository without what has been built in it, with the program
// ./app, and an environment in which the commands are found.
func freshClone(t *testing.T) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	bin := filepath.Join(t.TempDir(), "bin")
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "build"):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(dir, path), 0o777)
		case !d.Type().IsRegular():
			return nil
		}
		content, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, path), content, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "FAGUS_") || strings.HasPrefix(v, "PATH=") })
	env = append(env, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	shell(t, "../..", env, "go build -o "+bin+"/ ./cmd/fagusc ./cmd/fagusvet && go build -o "+dir+"/app ./cmd/fagus/testdata/app")
	return dir, env
}
