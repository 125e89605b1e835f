package launch

import (
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

type processes struct {
	keeper  *keeper
	stall   time.Duration // how long a process may be stopped; 0: for ever
	suspend func()        // Job.Suspend
	paused  atomic.Bool   // the processes are stopped by SIGTSTP, until SIGCONT
	mu      sync.Mutex
	running []*os.Process
	passed  []os.Signal // to all of them
}

// run runs cmd, whose outputs may be streams.
func (g *processes) run(cmd *exec.Cmd, outputs ...*stream) error {
	err := g.start(cmd)
	for _, s := range outputs {
		s.begin(err == nil)
	}
	if err != nil {
		return err
	}
	end := watchStop(cmd.Process, g.stall, &g.paused)
	err = cmd.Wait()
	for _, s := range outputs {
		s.leave(s.grace)
	}
	if stopped := end(); stopped != nil {
		err = stopped
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = slices.DeleteFunc(g.running, func(p *os.Process) bool { return p == cmd.Process })
	return err
}

// start starts cmd, and sends it the signals that have arrived before, except SIGQUIT, which asks
// what the processes are doing. A signal that arrives during the start waits.
func (g *processes) start(cmd *exec.Cmd) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	err := cmd.Start()
	if err == nil {
		g.running = append(g.running, cmd.Process)
		g.keeper.add(cmd.Process.Pid)
		for _, s := range g.passed {
			_ = cmd.Process.Signal(s) // the process may have ended
		}
	}
	return err
}

func (g *processes) pass(signals <-chan os.Signal) (stop func()) {
	over := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case s := <-signals:
				g.send(s)
				if s == Suspend && g.suspend != nil {
					g.suspend()
					g.send(resume)
				}
			case <-over:
				return
			}
		}
	})
	return func() {
		close(over)
		done.Wait()
	}
}

func (g *processes) send(s os.Signal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch s {
	case Suspend, resume:
		g.paused.Store(s == Suspend)
	case syscall.SIGQUIT:
	default:
		g.passed = append(g.passed, s)
	}
	for _, p := range g.running {
		_ = signalTo(p, s) // the process may have ended
	}
}
