package launch

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

const defaultGrace = 2 * time.Second

// Job is what is to be started. Size, Argv, Stdout and Stderr are needed.
type Job struct {
	Size   int      // ranks
	Argv   []string // of every rank
	Env    []string // of every rank, as in "NAME=value"; nil: the launcher's own
	Stdout io.Writer
	Stderr io.Writer
	Stdin  io.Reader // of rank 0; nil: none
	// PlainOut and PlainErr pass the standard output, or error, of ranks on as it is,
	// without ranks before its lines.
	PlainOut, PlainErr bool
	// Lines, if not nil, has a file for each rank: its process gets it as a descriptor that FAGUS_LINE names. Run closes
	// it when the process has ended.
	Lines []*os.File
	// Signals are passed on to all ranks; nil: none are.
	Signals <-chan os.Signal
	// Grace is how long ranks may take to end after SIGTERM. 0 means 2 seconds.
	Grace time.Duration
}

// ExitError is how a rank failed.
type ExitError struct {
	Rank int
	Code int // to exit with
	Err  error
}

// Error says which rank, and how.
func (e *ExitError) Error() string { return fmt.Sprintf("launch: rank %d: %v", e.Rank, e.Err) }

// Unwrap is what the operating system says.
func (e *ExitError) Unwrap() error { return e.Err }

// pipeOf is a pipe from which text can be read, which fits into one.
func pipeOf(text []byte) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	_, err = w.Write(text)
	if err = errors.Join(err, w.Close()); err != nil {
		_ = r.Close() // nothing will be read
		return nil, err
	}
	return r, nil
}

// maxRanks bounds the processes of a host.
const maxRanks = 4096

// Run starts all ranks and returns when all have ended: nil if all returned 0, an
// *ExitError for the first that did not, the error of ctx, or why a process cannot be
// started.
func (j *Job) Run(ctx context.Context) error {
	if err := j.Check(); err != nil {
		return err
	}
	name, err := jobName()
	if err != nil {
		return err
	}
	all := make([]recruit, j.Size)
	for rank := range all {
		all[rank].Rank = dimmnet.Rank(rank)
	}
	return j.runRanks(ctx, all, name)
}

// Check says why no such job can be, whatever the machine has: how many ranks it wants, or
// that it has no program. Run returns the same error.
func (j *Job) Check() error {
	if j.Size < 1 || j.Size > maxRanks {
		return fmt.Errorf("launch: %d ranks: want 1 to %d", j.Size, maxRanks)
	}
	if len(j.Argv) == 0 {
		return errors.New("launch: no program to run")
	}
	if j.Lines != nil && len(j.Lines) != j.Size {
		return fmt.Errorf("launch: %d lines for %d ranks", len(j.Lines), j.Size)
	}
	return nil
}

// runRanks is Run for some of the job's ranks.
func (j *Job) runRanks(ctx context.Context, recruits []recruit, name string) error {
	path, err := exec.LookPath(j.Argv[0])
	if err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	first := verdict{cancel: cancel}
	var ranks sync.WaitGroup
	var one sync.Mutex // of the two writers
	var group processes
	for _, r := range recruits {
		ranks.Go(func() { first.note(j.runRank(ctx, r, path, name, &one, &group)) })
	}
	stop := group.pass(j.Signals)
	ranks.Wait()
	stop()
	return first.of(ctx)
}

// jobName is one that no other job has.
func jobName() (string, error) {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("launch: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// runRank runs one rank to its end.
func (j *Job) runRank(ctx context.Context, r recruit, path, name string, one *sync.Mutex, group *processes) error {
	rank := int(r.Rank)
	cmd := exec.CommandContext(ctx, path, j.Argv[1:]...)
	cmd.Args[0] = j.Argv[0]
	env := j.Env
	if env == nil {
		env = os.Environ()
	}
	cmd.Env = append(slices.Clone(env),
		fmt.Sprintf("FAGUS_RANK=%d", rank), fmt.Sprintf("FAGUS_SIZE=%d", j.Size), "FAGUS_JOB="+name)
	if rank == 0 {
		cmd.Stdin = j.Stdin
	}
	if r.Identity != nil {
		secret, err := pipeOf(r.Identity)
		if err != nil {
			return fmt.Errorf("launch: the identity of rank %d: %w", rank, err)
		}
		defer secret.Close()
		cmd.ExtraFiles = []*os.File{secret} // which begin at 3
		cmd.Env = append(cmd.Env, "FAGUS_IDENTITY=fd:3")
	}
	if j.Lines != nil {
		line := j.Lines[rank]
		defer line.Close()
		cmd.ExtraFiles = append(cmd.ExtraFiles, line)
		cmd.Env = append(cmd.Env, fmt.Sprintf("FAGUS_LINE=fd:%d", 2+len(cmd.ExtraFiles)))
	}
	out := newTagged(j.Stdout, rank, j.PlainOut, one)
	errs := newTagged(j.Stderr, rank, j.PlainErr, one)
	cmd.Stdout, cmd.Stderr = out, errs
	lead(cmd)
	cmd.Cancel = func() error { return terminate(cmd.Process) }
	cmd.WaitDelay = cmp.Or(j.Grace, defaultGrace)
	err := runLocked(cmd, group)
	sweep(cmd.Process)
	if err := errors.Join(out.flush(), errs.flush()); err != nil {
		return fmt.Errorf("launch: output of rank %d: %w", rank, err)
	}
	if ctx.Err() != nil { // another one was first
		return nil
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return &ExitError{rank, exitCode(exit.ProcessState), err}
	case err != nil:
		return fmt.Errorf("launch: rank %d: %w", rank, err)
	}
	return nil
}
