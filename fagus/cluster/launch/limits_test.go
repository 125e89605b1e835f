package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster"
)

// TestRepeats: a line of 64 KiB is compared with the lines of other ranks, and no longer one; so
// are the first 1000 lines, and no later one.
func TestRepeats(t *testing.T) {
	for n, counts := range map[int]bool{64<<10 - 1: true, 64 << 10: true, 64<<10 + 1: false} {
		var r repeats
		line := []byte(strings.Repeat("x", n))
		if first, second := r.add("0: ", line), r.add("1: ", line); first || second != counts {
			t.Errorf("a line of %d bytes counts as repeated: %t, then %t", n, first, second)
		}
	}
	var r repeats
	for i := 1; i <= 1002; i++ {
		line := fmt.Appendf(nil, "line %d\n", i)
		if first, second := r.add("0: ", line), r.add("1: ", line); first || second != (i <= 1000) {
			t.Errorf("line %d counts as repeated: %t, then %t", i, first, second)
		}
	}
}

// TestAtomicWrite: a pipe gets at most 4096 bytes at once, PIPE_BUF of Linux, which end with a line
// if one ends there.
func TestAtomicWrite(t *testing.T) {
	for _, c := range []struct{ length, newline, want int }{ // newline: its place, from 1; 0: none
		{1, 0, 1}, {4095, 0, 4095}, {4096, 0, 4096}, {4097, 0, 4096}, {9000, 0, 4096},
		{4096, 1, 4096}, {4096, 4000, 4096}, {4097, 1, 1}, {4097, 4095, 4095}, {4097, 4096, 4096}, {4097, 4097, 4096},
	} {
		text := []byte(strings.Repeat("x", c.length))
		if c.newline > 0 {
			text[c.newline-1] = '\n'
		}
		if got := len(firstPiece(text)); got != c.want {
			t.Errorf("%d bytes, with a line of %d: a piece of %d, want %d", c.length, c.newline, got, c.want)
		}
	}
}

// TestPatienceInTime: SIGTERM ends a run within two seconds. So the waits for a reader that takes
// little of an output, and then for one that does not take the report, end before.
func TestPatienceInTime(t *testing.T) {
	const output, report = 2 * patience, patience // as in stream.wait and soon
	if all := output + report + emptying; patience != 500*time.Millisecond || all >= 2*time.Second {
		t.Errorf("patience is %v, and the waits take up to %v: want half a second, and less than 2 s", patience, all)
	}
}

// endless is an output that is there until over is closed. Without text, nothing is there.
type endless struct {
	over chan struct{}
	text bool
}

func (e endless) Read(p []byte) (int, error) {
	if !e.text {
		<-e.over
	}
	select {
	case <-e.over:
		return 0, io.EOF
	default:
		return copy(p, "x\n"), nil
	}
}

func (endless) Close() error { return nil }

// taking is a writer that takes a time for each write; 0: until over is closed.
type taking struct {
	over chan struct{}
	time time.Duration
}

func (w taking) Write(p []byte) (int, error) {
	if w.time == 0 {
		<-w.over
	}
	time.Sleep(w.time)
	return len(p), nil
}

// TestStreamWait: how long a stream is waited for, to the step.
func TestStreamWait(t *testing.T) {
	const second = time.Second
	for _, c := range []struct {
		what   string
		text   bool
		each   time.Duration // that a write takes
		cause  error         // of the end of the context; nil: it goes on
		failed bool
		want   time.Duration // of 20 s, after which the process closes its output
	}{
		{"a reader that takes nothing, after a failure", true, 0, nil, true, second / 2},
		{"a reader that takes nothing, after the end", true, 0, errors.New("rank 1 failed"), false, second / 2},
		{"a reader that takes nothing, while the job goes on", true, 0, nil, false, 20 * second},
		{"a reader that takes little, after a signal", true, 83 * time.Millisecond, &SignalError{os.Interrupt}, false, second},
		{"a reader that takes little, after a failure of others", true, 83 * time.Millisecond, errors.New("rank 1 failed"), false, 20*second + second/20},
		{"a pipe that others keep open", false, 0, nil, false, 300*time.Millisecond + second/2},
	} {
		synctest.Test(t, func(t *testing.T) {
			over := make(chan struct{})
			s := newStream(endless{over, c.text}, &prefixer{to: taking{over, c.each}, plain: true}, 300*time.Millisecond)
			s.begin(true)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if c.cause != nil {
				cancel(c.cause)
			}
			synctest.Wait()
			begun := time.Now()
			end := time.AfterFunc(20*second, func() { close(over) })
			if err := s.wait(ctx, c.failed); err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
			if took := time.Since(begun); took < c.want-second/20 || took > c.want {
				t.Errorf("%s is waited for for %v, want %v", c.what, took, c.want)
			}
			if end.Stop() {
				close(over)
			}
			<-s.done
		})
	}
}

// TestCheckLimits: a job has 1 to 4096 ranks, and starts again up to 1000 times.
func TestCheckLimits(t *testing.T) {
	for size, valid := range map[int]bool{-1: false, 0: false, 1: true, 4096: true, 4097: false} {
		if err := (&Job{Size: size, Argv: []string{"x"}}).Check(); (err == nil) != valid {
			t.Errorf("%d ranks: %v", size, err)
		}
		_, err := ParseHosts(fmt.Sprintf("a:%d", size))
		if (err == nil) != valid {
			t.Errorf("a host with %d slots: %v", size, err)
		}
	}
	for restart, valid := range map[int]bool{-1: false, 0: true, 1: true, 1000: true, 1001: false} {
		if err := (&Job{Size: 1, Argv: []string{"x"}, Restart: restart}).Check(); (err == nil) != valid {
			t.Errorf("%d restarts: %v", restart, err)
		}
	}
}

// TestSignalCodes: the exit codes 129 to 192 are for signals.
func TestSignalCodes(t *testing.T) {
	for code, want := range map[int]bool{0: false, 127: false, 128: false, 129: true, 137: true, 192: true, 193: false, 255: false} {
		if bySignal(code) != want {
			t.Errorf("exit code %d is that of a signal: %t", code, !want)
		}
	}
}

// TestSilence: how long an agent may be silent, and how often it reports.
func TestSilence(t *testing.T) {
	for _, c := range []struct{ stall, silence, beat time.Duration }{
		{-1, 0, 0}, {0, 15 * time.Second, time.Second}, {1, 3 * time.Second, 300 * time.Millisecond}, {3*time.Second + 10, 3*time.Second + 10, 300*time.Millisecond + 1},
		{10*time.Second - 10, 10*time.Second - 10, time.Second - 1}, {time.Minute, time.Minute, time.Second},
	} {
		j := Job{Spec: cluster.Spec{Stall: c.stall}}
		if j.silence() != c.silence || j.beat() != c.beat {
			t.Errorf("Stall %v: silence %v, a report each %v; want %v, %v", c.stall, j.silence(), j.beat(), c.silence, c.beat)
		}
	}
}

// TestListen: an agent may be silent for as long as its watcher says, before its first report and
// after it, and for ever if there is no limit. A report is seen with the first step.
func TestListen(t *testing.T) {
	for _, c := range []struct {
		what    string
		reports int64
		stall   time.Duration
		want    time.Duration // 1 h: it is not ended
	}{
		{"has not reported in 10 s", 0, 3 * time.Second, 10 * time.Second},
		{"has not reported in 10 s", 0, 0, 10 * time.Second},
		{"no sign of life for 3 s", 1, 3 * time.Second, 3*time.Second + watchEvery},
		{"", 1, 0, time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			w := watcher{reports: new(atomic.Int64), answer: 10 * time.Second, stall: c.stall, cmd: exec.Command("true")}
			w.reports.Store(c.reports)
			begun := time.Now()
			err := w.listen(ctx)
			if took := time.Since(begun); took != c.want || (err != nil) != (c.what != "") || err != nil && !strings.Contains(err.Error(), c.what) {
				t.Errorf("after %d reports, with a limit of %v: %v after %v, want %q after %v", c.reports, c.stall, err, took, c.what, c.want)
			}
		})
	}
}

// TestOpening: a command may print 64 KiB before the first report of an agent, and no byte more.
func TestOpening(t *testing.T) {
	for n, valid := range map[int]bool{64<<10 - 1: true, 64 << 10: true, 64<<10 + 1: false} {
		for _, begun := range []bool{false, true} {
			o := &opening{from: strings.NewReader(strings.Repeat("x", n)), begun: begun}
			got, err := io.ReadAll(o)
			if (err == nil) != (valid || begun) || err == nil && len(got) != n {
				t.Errorf("%d bytes, agent begun %t: %d bytes, %v", n, begun, len(got), err)
			}
		}
	}
}

// TestSafe: which characters mean themselves in a shell.
func TestSafe(t *testing.T) {
	const all = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%"
	for c := rune(0); c < 300; c++ {
		if safe(c) != strings.ContainsRune(all, c) {
			t.Errorf("%q is safe: %t", c, safe(c))
		}
	}
}

// TestLongestLine: a line is broken after 16 MiB, whether more follows or not.
func TestLongestLine(t *testing.T) {
	var out strings.Builder
	p := newPrefixer(&out, 0, false, nil)
	text := []byte(strings.Repeat("x", 16<<20))
	for _, c := range []struct{ bytes, want int }{{16<<20 - 1, 0}, {1, len("0: ") + 16<<20 + 1}} {
		if _, err := p.Write(text[:c.bytes]); err != nil || out.Len() != c.want {
			t.Errorf("%d bytes are written after %d more, %v; want %d", out.Len(), c.bytes, err, c.want)
		}
	}
	if err := p.flush(); err != nil || out.Len() != len("0: ")+16<<20+1 {
		t.Errorf("%d bytes at the end, %v", out.Len(), err)
	}
}

// TestFirstAccused: of two ranks that equally many blame, the one that was blamed first has failed.
func TestFirstAccused(t *testing.T) {
	for _, ranks := range [][2]int{{2, 3}, {3, 2}} {
		var o outcome
		for i, accused := range ranks {
			o.record(endOf(i, fmt.Sprint("1>", accused)))
		}
		var exit *ExitError
		if _, why := o.verdict(); !errors.As(why, &exit) || exit.Rank != ranks[0] {
			t.Errorf("rank 0 blames rank %d, and rank 1 rank %d: %v", ranks[0], ranks[1], why)
		}
	}
}

// TestMore: an attempt may be followed by another as long as ranks have died less often than the
// job may start again.
func TestMore(t *testing.T) {
	for restart := range 4 {
		j := &Job{Restart: restart, Stderr: io.Discard}
		var more []bool
		err := j.attempts(t.Context(), func(_ context.Context, attempt int, may bool) error {
			if attempt != len(more) {
				t.Errorf("attempt %d comes as number %d", attempt, len(more))
			}
			more = append(more, may)
			return endOf(1, "kill")
		}, func(int) (string, bool) { return "", true })
		want := fmt.Sprint(append([]bool{true, true, true}[:restart], false))
		if fmt.Sprint(more) != want || !died(err) {
			t.Errorf("%d restarts: more may follow: %v, want %s; %v", restart, more, want, err)
		}
	}
}
