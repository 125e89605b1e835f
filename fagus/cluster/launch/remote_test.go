//go:build unix

package launch

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"
)

// TestInterruptAtStart checks that an interrupt may come while the command of a host starts. It
// needs -race.
func TestInterruptAtStart(t *testing.T) {
	for i := range 60 {
		ctx, cancel := context.WithCancelCause(t.Context())
		var out bytes.Buffer
		r := &remote{
			job:  &Hosts{Job: Job{Stderr: &out, Stdout: &out, Grace: time.Millisecond}, Rsh: []string{"sh", "-c", "cat >/dev/null", "%h"}, Agent: []string{"x"}},
			host: "h", meet: make(chan string, 1), begun: make(chan struct{}), spoke: make(chan struct{}),
		}
		cmd := r.command(ctx)
		go func() {
			time.Sleep(time.Duration(i) * 50 * time.Microsecond)
			cancel(&SignalError{os.Interrupt})
		}()
		if _, err := r.begin(ctx, cmd, order{Start: &start{}}); err == nil {
			_ = cmd.Wait() // may be killed
			<-r.begun
		}
		cancel(nil)
	}
}
