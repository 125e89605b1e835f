package program

import (
	"cmp"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// App is a program. Only Run is required.
type App struct {
	// Run is the program of one rank. fagus.Run calls it once for each rank.
	Run func(n *fagus.Node) error
	// Plain is the same computation without Fagus, in one goroutine, for --plain and --speedup. It
	// calls measure around what Run measures by Node.Measure; without a call the whole counts. A
	// wrong result is its error. Nil: the program has no such version.
	Plain func(measure func(section func() error) error) error
	// Name is the name in messages. The default is the executable's name.
	Name string
	// About says in a few words what the program does.
	About string
	// Args names the arguments, such as "FILE...". If it is empty, an argument is a usage error.
	Args string
	// Examples are command lines for the help text. A remark may follow after two spaces.
	Examples []string
	// Flags are the program's own flags. Nil means flag.CommandLine. After parsing, Flags.Args has
	// the arguments. A flag must not have the name of a standard one.
	Flags *flag.FlagSet
	// Vary names own flags that may differ when a run resumes from a checkpoint, such as one for a
	// file to write. All other flags, and the arguments, must be the same.
	Vary []string
	// Drivers are parts that need modules of their own: gossip.Driver{} for ranks on several hosts,
	// quic.Driver{} for --net quic, s3.Driver{} for --checkpoint s3://BUCKET/PREFIX.
	Drivers []cluster.Driver
	// Check is called, if it is not nil, when the flags are parsed and no rank has started yet. Its
	// error is a mistake in the command line.
	Check func() error
}

// Main runs a program without flags or arguments of its own, with the command line of the process,
// and with drivers, as App.Drivers.
// Main returns if the program succeeded; otherwise it ends the process with the exit code that
// `fagus run` has for the error.
func Main(run func(n *fagus.Node) error, drivers ...cluster.Driver) {
	App{Run: run, Drivers: drivers}.Main()
}

// Main runs the program with the command line of the process. It returns if the program succeeded;
// otherwise it ends the process with the exit code that `fagus run` has for the error. SIGINT and
// SIGTERM end the program, soon even if a rank does not return.
func (a App) Main() {
	ctx, stop := launch.NotifyContext(context.Background())
	ctx, out, errs := launch.Outlets(ctx, os.Stdout, os.Stderr)
	r := runner{App: a, stdout: out, stderr: errs, process: true}
	code := r.execute(ctx, os.Args[1:])
	stop()
	if code != 0 {
		os.Exit(code)
	}
}

// Execute runs the program with the given arguments, without its name, and returns the exit code.
// It is for tests. On a network of processes it starts the executable of this process, so the test
// binary must call Main if FAGUS_RANK is set.
func (a App) Execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	r := runner{App: a, stdout: stdout, stderr: stderr}
	return r.execute(ctx, args)
}

// agentArgument starts the ranks of a job on another host, instead of a program.
const agentArgument = "--fagus-agent"

// runner runs an App once.
type runner struct {
	App
	stdout, stderr io.Writer
	process        bool // the process is this program's: it may end the process
}

func (r *runner) execute(ctx context.Context, args []string) int {
	r.Name = cmp.Or(r.Name, filepath.Base(os.Args[0]))
	if r.Flags == nil {
		r.Flags = flag.CommandLine
	}
	if r.Check == nil {
		r.Check = func() error { return nil }
	}
	var err error
	if len(args) > 0 && args[0] == agentArgument {
		err = launch.Agent(ctx, os.Stdin, r.stdout)
	} else {
		err = r.run(ctx, args)
	}
	return runflags.Conclude(ctx, err, r.stderr, r.Name)
}
