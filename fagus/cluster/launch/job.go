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
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/checkpoint/partner"
	"github.com/fagus-dsm/fagus/fagus/cluster"
)

const defaultGrace = 2 * time.Second

// Job describes the processes to start. Size, Argv, Stdout and Stderr are required.
type Job struct {
	Size   int      // number of ranks
	Argv   []string // command and arguments of every rank
	Env    []string // environment of every rank, as "NAME=value"; nil: the launcher's own
	Stdout io.Writer
	Stderr io.Writer
	Stdin  io.Reader // standard input of rank 0; nil: none
	// PlainOut and PlainErr forward standard output and error without the rank on each line.
	PlainOut, PlainErr bool
	// ErrOnce prints a line that several ranks print on standard error only once, and how often
	// they printed it at the end. It has no effect with PlainErr.
	ErrOnce bool
	// Lines, if not nil, has one file per rank. The rank's process inherits the file as the
	// descriptor that FAGUS_LINE names. Run closes the file when the process has ended.
	Lines []*os.File
	// Signals are forwarded to all ranks, and except SIGQUIT also to ranks that start later. It may
	// be nil.
	Signals <-chan os.Signal
	// Suspend, if not nil, is called when the signal Suspend has stopped all ranks. They go on when
	// it returns.
	Suspend func()
	// Grace is how long ranks may take to end after SIGTERM. 0 means 2 seconds.
	Grace time.Duration
	// Spec says how the ranks meet and exchange their data: they find it in their environment,
	// where it replaces what Env says. Its Identity and Log are not used.
	//
	// Spec.Stall is also how long a host's agent may show no sign of life before the job fails. The
	// process of a rank may be stopped for 2 seconds longer, in which ranks report it themselves.
	// Less than 3 seconds counts as 3.
	Spec cluster.Spec
	// Restart is how often the job is started again when ranks die (see Failures in the package
	// comment).
	Restart int
	// Resize, if not nil, is called when an attempt has ended. It returns the new number of ranks
	// with which the job goes on from its last checkpoint, or 0 if nobody asks for another number.
	Resize func() int
	// Stopping, if not nil, is called when an attempt has failed. If it returns true, the ranks
	// were told to stop, and no other attempt begins.
	Stopping func() bool
	// Resumes, if not nil, is called before each restart. It returns where the job goes on, such as
	// "from checkpoint 3", for the message about the restart.
	Resumes func() string
}

// ExitError is the failure of a rank.
type ExitError struct {
	Rank int
	Code int // exit code for the launcher; 0 only within this package
	Err  error
	// Because is the rank that made this rank fail, if the process has reported one
	// (cluster.ReportOrigin), and -1 otherwise.
	Because int
	// Died means that the process has not ended by itself: a signal ended it, or it is gone for the
	// other ranks.
	Died bool
	// Printed means that the process has printed why it failed, on this host.
	Printed bool
}

// Error names the rank and the cause.
func (e *ExitError) Error() string {
	text := fmt.Sprintf("launch: rank %d: %v", e.Rank, e.Err)
	if e.Code == interrupted {
		text += " (interrupted, as by SIGTERM or SIGINT to this process)"
	}
	return text
}

// interrupted is the exit code of a program of Fagus, and of a shell, after a signal.
const interrupted = 130

// Unwrap returns the error of the operating system.
func (e *ExitError) Unwrap() error { return e.Err }

// quoted is the end of a rank with the text that it passed to the launcher instead of printing it.
type quoted struct {
	error
	text string
}

func (q *quoted) Error() string { return q.text }
func (q *quoted) Unwrap() error { return q.error }

// pipeOf returns the read end of a pipe that holds text, which must fit into the pipe's buffer.
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

const (
	maxRanks    = 4096
	maxRestarts = 1000
)

// Run starts all ranks and returns when all have ended: nil if all exited with 0, an *ExitError of
// the first rank that failed, the error of ctx, or the reason why a process could not start. After
// restarts it returns the result of the last attempt.
func (j *Job) Run(ctx context.Context) error {
	if err := j.Check(); err != nil {
		return err
	}
	now := *j // the attempts may have other ranks
	now.Stdout, now.Stderr = lockedPair(j.Stdout, j.Stderr)
	return now.attempts(ctx, now.runOnce, func(size int) (string, bool) {
		now.Size = cmp.Or(size, now.Size)
		return "", true
	})
}

// runOnce makes one attempt. more means that another one follows if ranks die.
func (j *Job) runOnce(ctx context.Context, attempt int, more bool) error {
	name, err := jobName()
	if err != nil {
		return err
	}
	all := make([]rankStart, j.Size)
	for rank := range all {
		all[rank].Rank = dimmnet.Rank(rank)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	first := outcome{cancel: cancel, kill: more}
	place := cluster.Place{Size: j.Size, Job: name, Epoch: attempt, Attempt: attempt}
	if err := j.runRanks(ctx, all, place, &first); err != nil {
		return err
	}
	return first.err(ctx)
}

// Check returns an error if the job is invalid on any machine: its number of ranks is out of
// range, or it has no program. Run returns the same error.
func (j *Job) Check() error {
	if j.Size < 1 || j.Size > maxRanks {
		return fmt.Errorf("launch: %d ranks: want 1 to %d", j.Size, maxRanks)
	}
	if len(j.Argv) == 0 {
		return errors.New("launch: no program to run")
	}
	if j.Restart < 0 || j.Restart > maxRestarts {
		return fmt.Errorf("launch: %d restarts: want 0 to %d", j.Restart, maxRestarts)
	}
	if j.Lines != nil && j.Restart > 0 {
		return errors.New("launch: a job with Lines cannot be started again")
	}
	if j.Lines != nil && len(j.Lines) != j.Size {
		return fmt.Errorf("launch: Lines has %d files: want one for each of %d ranks", len(j.Lines), j.Size)
	}
	return nil
}

// runRanks starts ranks, records in first how they end, and returns when all have ended. It returns
// an error if it has started none. place lacks only the number of each rank.
func (j *Job) runRanks(ctx context.Context, starts []rankStart, place cluster.Place, first *outcome) error {
	path, err := exec.LookPath(j.Argv[0])
	if err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	// With Lines the launcher simulates the network: the ranks take turns in any case.
	if text := Crowded(len(starts)); text != "" && j.Lines == nil {
		_ = soon(func() error { // a rank whose output fails reports that
			_, err := fmt.Fprintln(j.Stderr, text)
			return err
		})
	}
	var ranks sync.WaitGroup
	var once *repeats
	if j.ErrOnce {
		once = &repeats{}
	}
	group := processes{keeper: startKeeper(), suspend: j.Suspend}
	if stall := j.silence(); stall > 0 {
		group.stall = stall + defaultGrace
	}
	defer group.keeper.stop()
	for _, r := range starts {
		ranks.Go(func() {
			err := limited(j.runRank(ctx, r, path, place, once, &group), len(starts))
			if err == nil && ctx.Err() == nil {
				err = &ExitError{Rank: int(r.Rank), Err: errors.New("exit status 0"), Because: -1}
			}
			first.record(err)
		})
	}
	stop := group.pass(j.Signals)
	ranks.Wait()
	stop()
	if once != nil && first.err(ctx) != nil {
		first.record(soon(func() error { return once.print(j.Stderr) }))
	}
	return nil
}

// limited adds advice to an error about the limit of open files, for a process that starts others.
func limited(err error, processes int) error {
	const usual, each = 1024, 8 // each: pipes for output, identity and origin, and the process
	if errors.Is(err, syscall.EMFILE) {
		return fmt.Errorf("%w: allow more: ulimit -n %d", err, max(usual, each*processes))
	}
	return err
}

func jobName() (string, error) {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("launch: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

func (j *Job) runRank(ctx context.Context, r rankStart, path string, place cluster.Place, once *repeats, group *processes) error {
	rank := int(r.Rank)
	cmd := exec.CommandContext(ctx, path, j.Argv[1:]...)
	cmd.Args[0] = j.Argv[0]
	env := j.Env
	if env == nil {
		env = os.Environ()
	}
	place.Rank = rank
	cmd.Env = slices.Concat(env, j.Spec.Environ(), place.Environ())
	if rank == 0 {
		cmd.Stdin = j.Stdin
	}
	inherit := func(variable string, f *os.File) {
		cmd.ExtraFiles = append(cmd.ExtraFiles, f) // from descriptor 3 on
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=fd:%d", variable, 2+len(cmd.ExtraFiles)))
	}
	for _, s := range []struct {
		variable string
		identity []byte
	}{{"FAGUS_IDENTITY", r.Identity}, {partner.IdentityVariable, r.Memory}} {
		if s.identity != nil {
			secret, err := pipeOf(s.identity)
			if err != nil {
				return fmt.Errorf("launch: passing the identity to rank %d: %w", rank, err)
			}
			defer secret.Close()
			inherit(s.variable, secret)
		}
	}
	if j.Lines != nil {
		defer j.Lines[rank].Close()
		inherit(cluster.LineVariable, j.Lines[rank])
	}
	origin, err := newOrigin(cmd)
	if err != nil {
		return fmt.Errorf("launch: rank %d: %w", rank, err)
	}
	defer origin.close()
	leadGroup(cmd)
	cmd.Cancel = func() error { return terminate(cmd.Process, ending(ctx)) }
	cmd.WaitDelay = cmp.Or(j.Grace, defaultGrace)
	out, err := pipeTo(newPrefixer(j.Stdout, rank, j.PlainOut, nil), cmd.WaitDelay)
	if err != nil {
		return fmt.Errorf("launch: rank %d: %w", rank, err)
	}
	errs, err := pipeTo(newPrefixer(j.Stderr, rank, j.PlainErr, once), cmd.WaitDelay)
	if err != nil {
		out.begin(false)
		return fmt.Errorf("launch: rank %d: %w", rank, err)
	}
	cmd.Stdout, cmd.Stderr = out.pipe, errs.pipe
	err = runLocked(cmd, group, out, errs)
	lost := errors.Join(out.wait(ctx, err != nil), errs.wait(ctx, err != nil))
	if cmd.Process != nil {
		killGroup(cmd.Process)
		group.keeper.remove(cmd.Process.Pid)
	}
	if lost != nil && !(unread(lost) && (err != nil || ctx.Err() != nil)) {
		return fmt.Errorf("launch: writing the output of rank %d: %w", rank, lost)
	}
	if ctx.Err() != nil { // another rank failed first
		return nil
	}
	return ended(rank, err, origin)
}

// ended returns the failure of a rank whose process has ended with err; nil if it has not failed.
func ended(rank int, err error, origin *origin) error {
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code := exitCode(exit.ProcessState)
		said := origin.read()
		if said.text != "" {
			err = &quoted{err, said.text}
		}
		return &ExitError{rank, code, err, said.rank, bySignal(code) || said.gone, said.prints}
	case errors.Is(err, errStopped):
		return &ExitError{rank, 1, err, origin.read().rank, true, false}
	case err != nil:
		return fmt.Errorf("launch: rank %d: %w", rank, err)
	}
	return nil
}
