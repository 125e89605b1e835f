package launch

import (
	"os"
	"os/exec"
	"slices"
	"sync"
)

// processes are the ranks that run.
type processes struct {
	mu      sync.Mutex
	running []*os.Process
}

// run runs cmd to its end, as one of them.
func (g *processes) run(cmd *exec.Cmd) error {
	if err := g.start(cmd); err != nil {
		return err
	}
	err := cmd.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = slices.DeleteFunc(g.running, func(p *os.Process) bool { return p == cmd.Process })
	return err
}

// start starts cmd. A signal that comes meanwhile waits for it.
func (g *processes) start(cmd *exec.Cmd) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	err := cmd.Start()
	if err == nil {
		g.running = append(g.running, cmd.Process)
	}
	return err
}

// pass passes signals on to all that run, until stop is called.
func (g *processes) pass(signals <-chan os.Signal) (stop func()) {
	over := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case s := <-signals:
				g.mu.Lock()
				for _, p := range g.running {
					_ = p.Signal(s) // it may have ended
				}
				g.mu.Unlock()
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
