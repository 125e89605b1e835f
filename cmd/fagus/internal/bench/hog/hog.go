package hog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/corepair"
)

// patience limits the time of a hog's start, and of its end.
const patience = 10 * time.Second

// ready is the line that a hog prints when it spins.
const ready = "busy\n"

// Herd is a group of hogs that have been started.
type Herd struct {
	hogs []*one
}

type one struct {
	cmd   *exec.Cmd
	leash io.Closer  // the hog ends when it is closed
	ended chan error // of the process
}

// Start starts a hog on each processor of cpus, in which a number may occur again; a negative
// number stands for no binding. A hog is the program at path with arguments and the processor's
// number, which calls Spin. Start returns when all hogs spin.
func Start(path string, arguments []string, cpus []int) (*Herd, error) {
	h := &Herd{}
	for _, cpu := range cpus {
		hog, err := start(path, append(slices.Clone(arguments), strconv.Itoa(cpu)))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("hog: on processor %d: %w", cpu, err), h.Stop())
		}
		h.hogs = append(h.hogs, hog)
	}
	return h, nil
}

func start(path string, arguments []string) (*one, error) {
	hog := &one{cmd: exec.Command(path, arguments...), ended: make(chan error, 1)}
	hog.cmd.Stderr = os.Stderr
	leash, err := hog.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	hog.leash = leash
	said, err := hog.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := hog.cmd.Start(); err != nil {
		return nil, err
	}
	late := time.AfterFunc(patience, func() { _ = hog.cmd.Process.Kill() }) // fails if it has ended
	line, err := bufio.NewReader(said).ReadString('\n')
	late.Stop()
	go func() { hog.ended <- hog.cmd.Wait() }()
	if err != nil || line != ready {
		return nil, fmt.Errorf("it said %q instead of %q: %w", line, ready, errors.Join(err, hog.stop()))
	}
	return hog, nil
}

// Stop ends all hogs, and returns when they have ended. It returns an error if a hog had ended
// before: the processors were not busy all the time.
func (h *Herd) Stop() error {
	var errs []error
	for _, hog := range h.hogs {
		select {
		case outcome := <-hog.ended:
			errs = append(errs, fmt.Errorf("hog: process %d ended by itself: %v", hog.cmd.Process.Pid, outcome))
		default:
			errs = append(errs, hog.stop())
		}
	}
	h.hogs = nil
	return errors.Join(errs...)
}

func (o *one) stop() error {
	_ = o.leash.Close() // fails if the hog has ended
	defer time.AfterFunc(patience, func() { _ = o.cmd.Process.Kill() }).Stop()
	return <-o.ended
}

// Spin is the work of a hog: it binds the calling goroutine's thread to a processor, unless cpu is
// negative, says on out that it begins, and spins until in ends.
func Spin(cpu int, in io.Reader, out io.Writer) error {
	var over atomic.Bool
	go func() { // before this thread is bound: threads inherit the binding of those that start them
		_, _ = io.Copy(io.Discard, in) // whether in ends or breaks, nobody wants the hog any more
		over.Store(true)
	}()
	runtime.LockOSThread()
	if cpu >= 0 {
		if err := corepair.Pin(cpu); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(out, ready); err != nil {
		return fmt.Errorf("hog: %w", err)
	}
	for !over.Load() {
	}
	return nil
}
