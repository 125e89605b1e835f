package experiment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const (
	mostDocument = 32 << 20  // bytes of a document; that of 256 ranks has less than 2 MiB
	mostPrinted  = 256 << 10 // bytes that are kept of what a program prints
	mostTail     = 2 << 10   // bytes that are kept of its end, for errors
	// endsWithin is how long the program may take to end after a signal. Its own ranks have half a
	// second, and the whole command two.
	endsWithin = 1200 * time.Millisecond
)

// process is one run of a program.
type process struct {
	path      string
	argv      []string // as errors show it
	schema    string   // of the document that it prints
	hidden    []string // flags behind the program, which errors do not show
	env       []string // besides that of this process
	out, errs capture
}

// run runs the program to its end. What it prints is in out and errs.
func (p *process) run(ctx context.Context) error {
	p.out.most, p.errs.most = mostDocument, mostPrinted
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p.out.full = func() {
		stop(fmt.Errorf("it printed more than %d MiB on standard output: want one document %s", mostDocument>>20, p.schema))
	}
	alone := launch.Alone{
		Argv: slices.Concat([]string{p.path}, p.hidden, p.argv[1:]), Env: append(cluster.WithoutPlace(os.Environ()), p.env...),
		Stdout: &p.out, Stderr: &p.errs, Grace: endsWithin,
	}
	err := alone.Run(ctx)
	var exit *exec.ExitError
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, context.Canceled), errors.Is(cause, context.DeadlineExceeded):
		return cause // of the user, who knows what runs
	case cause != nil:
		err = cause
	}
	if err == nil {
		return nil
	}
	failed := fmt.Errorf("%s: %w%s", CommandLine(p.argv), err, p.errs.excerpt())
	if p.schema == schema && bytes.Contains(p.errs.head, []byte("-json")) {
		failed = fmt.Errorf("%w\n%s", failed, wanted)
	}
	if errors.As(err, &exit) && exit.ExitCode() == runflags.ExitUsage {
		return usage.Wrap(failed)
	}
	return failed
}

// Output runs any program to its end with more variables in its environment, and returns what it
// prints on standard output.
func Output(ctx context.Context, argv, env []string) ([]byte, error) {
	p := process{path: argv[0], argv: argv, env: env}
	err := p.run(ctx)
	return p.out.head, err
}

// result runs the program, and reads its document, which check may refuse. processes says that
// ranks are processes.
func (p *process) result(ctx context.Context, check func(*Document) error, processes bool) (*Run, error) {
	if err := p.run(ctx); err != nil {
		return nil, err
	}
	d, beside, err := readDocument(p.out.head, p.schema)
	if err == nil {
		err = check(d)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", CommandLine(p.argv), err)
	}
	return &Run{Document: *d, Lines: linesOf(beside+string(p.errs.head), processes), Cut: p.errs.lost}, nil
}

// capture keeps the beginning and the end of what is written to it.
type capture struct {
	head []byte
	tail Tail
	most int    // bytes of head
	full func() // called when there is more; may be nil
	lost bool   // there was more
}

// Write implements io.Writer. It never fails.
func (c *capture) Write(b []byte) (int, error) {
	room := min(len(b), c.most-len(c.head))
	c.head = append(c.head, b[:room]...)
	if room < len(b) && !c.lost {
		c.lost = true
		if c.full != nil {
			c.full()
		}
	}
	return c.tail.Write(b)
}

// Tail is a writer that keeps only the last 2 KiB that are written to it.
type Tail struct {
	mu   sync.Mutex
	last []byte
}

// Write appends b and drops the beginning. It never fails.
func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, b[max(0, len(b)-mostTail):]...)
	t.last = t.last[max(0, len(t.last)-mostTail):]
	return len(b), nil
}

// String returns what is kept, without space around it.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.last), "?"))
}

// excerpt returns the first and the last lines of the text for an error, or "".
func (c *capture) excerpt() string {
	const first, last = 4, 8
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(c.head), "?")), "\n")
	if lines[0] == "" {
		return ""
	}
	if c.lost || len(lines) > first+last {
		end := strings.Split(c.tail.String(), "\n")
		lines = slices.Concat(lines[:min(first, len(lines))], []string{"..."}, end[max(0, len(end)-last):])
	}
	for i, line := range lines {
		lines[i] = shortened(line, 2*mostQuoted)
	}
	return "; it says\n  " + strings.Join(lines, "\n  ")
}

// environ returns the environment of this process without Fagus's variables, and with mark. The
// provider of libfabric stays: it belongs to what the caller wants to try.
func environ(mark string) []string {
	return append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "FAGUS_") && !strings.HasPrefix(v, "FAGUS_PROVIDER=")
	}), mark)
}

// Processes returns the running processes that have mark, "NAME=VALUE", in their environment,
// whoever has started them, and their whole environments, in which a zero byte ends each variable.
// It finds nothing where there is no /proc.
func Processes(mark string) map[int][]byte {
	all := map[int][]byte{}
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is right
	for _, name := range files {
		pid, _ := strconv.Atoi(strings.Split(name, "/")[2])
		if env, err := os.ReadFile(name); err == nil && bytes.Contains(env, []byte(mark+"\x00")) {
			all[pid] = env
		}
	}
	return all
}

// Kill kills the processes that have mark, and returns how many there were.
func Kill(mark string) int {
	left := Processes(mark)
	for pid := range left {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended
		}
	}
	return len(left)
}
