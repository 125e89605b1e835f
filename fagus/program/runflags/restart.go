package runflags

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/fagus/checkpoint"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
)

// launchAgain runs a job that is started again when ranks die. --timeout limits all attempts
// together. With atEnd only the standard output of the last attempt is printed: a rank may die
// after another one has printed the result.
func (cfg *Config) launchAgain(c *cli.Context, agent string, job *launch.Job, atEnd bool) (err error) {
	at := cfg.Checkpoints
	job.Restart = at.restart
	inMemory := at.folder == ""
	if inMemory && !c.IsSet("hosts") {
		memory, err := launch.NewMemory()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, memory.Close()) }()
		at.folder = memory.Folder
		job.Env = append(job.Env, checkpointVariable+"="+at.folder)
	}
	if inMemory && !c.IsSet("checkpoint-every") {
		job.Env = append(job.Env, everyVariable+"="+memoryEvery.String())
	}
	if !inMemory && at.open == nil {
		if at.folder, err = filepath.Abs(at.folder); err != nil {
			return err
		}
	}
	var held bytes.Buffer
	if atEnd {
		out := job.Stdout
		job.Stdout = &held
		defer func() {
			_, printed := out.Write(held.Bytes())
			err = errors.Join(err, printed)
		}()
	}
	job.Resumes = func() string {
		held.Reset()
		if at.folder == "" {
			return "" // launch.Hosts knows it
		}
		return launch.FromCheckpoint(at.newestSoon(c.Context)) // the ranks report the error
	}
	ctx, cancel := WithTimeout(c.Context, cfg.Timeout)
	defer cancel()
	return runRanks(ctx, c, agent, job, &at)
}

// newestSoon is newest, if the store answers within 2 seconds.
func (p *checkpoints) newestSoon(ctx context.Context) (number uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	said := make(chan struct{})
	var n uint64
	var failed error
	go func() {
		defer close(said)
		n, failed = p.newest(ctx)
	}()
	select {
	case <-said:
		return n, failed
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// newest returns the number of the newest checkpoint, or 0.
func (p *checkpoints) newest(ctx context.Context) (uint64, error) {
	store, err := existing(ctx, p.open, p.folder)
	var numbers []uint64
	if err == nil {
		numbers, err = checkpoint.Numbers(ctx, store)
	}
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(numbers) == 0 {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return numbers[len(numbers)-1], nil
}

// scalable lets fagus launch scale change the number of ranks of a job, until end is called. It
// sends rank 0 a signal by pass; rank 0 makes a checkpoint, and the ranks end. Only the job
// receives from pass, and not while it calls Resize.
func scalable(job *launch.Job, pass chan os.Signal) (end func()) {
	var mu sync.Mutex
	wanted := 0
	control, err := launch.Listen(func(ranks int) error {
		if stopSignal() == nil {
			return errors.New("ranks cannot be told to stop on this system")
		}
		mu.Lock()
		defer mu.Unlock()
		select {
		case pass <- stopSignal():
			wanted = ranks
			return nil
		default:
			return errors.New("the ranks have not got the signal before: try again")
		}
	})
	if err != nil {
		// The job runs all the same.
		fmt.Fprintf(job.Stderr, "fagus: fagus launch scale cannot reach this job: %v\n", err)
		return func() {}
	}
	job.Resize = func() (ranks int) {
		mu.Lock()
		defer mu.Unlock()
		if ranks, wanted = wanted, 0; ranks == 0 {
			return 0
		}
		for range len(pass) { // the signal is for ranks that have ended
			if s := <-pass; s != stopSignal() {
				select {
				case pass <- s:
				default: // others have come
				}
			}
		}
		return ranks
	}
	return func() { _ = control.Close() } // nobody can ask any more, in any case
}
