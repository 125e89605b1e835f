package launch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// endOf returns how a rank ends: "-" not at all, "kill", "stop", a code, or a code and what the
// rank says. "1own": it failed by itself; "1gone": it is lost; "1>2": rank 2 failed first.
func endOf(rank int, text string) error {
	e := &ExitError{Rank: rank, Because: -1, Err: errors.New(text)}
	switch text {
	case "-":
		return nil
	case "kill":
		e.Code, e.Died = 137, true
	case "stop":
		e.Code, e.Died = 1, true
	default:
		says := strings.TrimLeft(text, "0123456789")
		_, _ = fmt.Sscan(strings.TrimSuffix(text, says), &e.Code) // a row with a mistake fails
		switch {
		case says == "gone":
			e.Because, e.Died = rank, true
		case says == "own":
			e.Because = rank
		case says != "":
			_, _ = fmt.Sscanf(says, ">%d", &e.Because)
		}
	}
	return e
}

// permutations returns all orders of 0 to n-1.
func permutations(n int) (all [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for _, p := range permutations(n - 1) {
		for at := range n {
			all = append(all, append(append(append([]int(nil), p[:at]...), n-1), p[at:]...))
		}
	}
	return all
}

// TestOutcome checks who has failed, and whether the job starts again, for what each of four ranks
// does and says (endOf), in any order and at any distance. Rank 3 never ends.
func TestOutcome(t *testing.T) {
	for _, tt := range []struct {
		ends string // of ranks 0, 1 and 2
		want string // "restart" or "end", the rank, and the exit code
	}{
		// The end of rank 1 alone.
		{"- 0 -", "none"},
		{"- 1 -", "end 1 1"},
		{"- 2 -", "end 1 2"},
		{"- 3 -", "end 1 3"},
		{"- 124 -", "end 1 124"},
		{"- kill -", "restart 1 137"},
		{"- stop -", "restart 1 1"},
		{"- 1own -", "end 1 1"},
		{"- 3own -", "end 1 3"},
		{"- 1gone -", "restart 1 1"},
		{"- 1>2 -", "restart 2 1"},
		// One other rank has lost rank 1, or heard its reason.
		{"1>1 - -", "restart 1 1"},
		{"1>1 0 -", "end 1 1"}, // without a goodbye
		{"1>1 1 -", "end 1 1"},
		{"1>1 7 -", "end 1 7"},
		{"1>1 kill -", "restart 1 137"},
		{"1>1 stop -", "restart 1 1"},
		{"1>1 1own -", "end 1 1"},
		{"1>1 1gone -", "restart 1 1"}, // it hears what the others say
		// All have lost it.
		{"1>1 - 1>1", "restart 1 1"},
		{"1>1 0 1>1", "end 1 1"},
		{"1>1 1 1>1", "end 1 1"},
		{"1>1 7 1>1", "end 1 7"},
		{"1>1 kill 1>1", "restart 1 137"},
		{"1>1 1own 1>1", "end 1 1"},
		{"1>1 1gone 1>1", "restart 1 1"},
		{"1>1 1>0 1>1", "restart 1 1"}, // rank 1 hears nobody, and blames the first
		{"0 1>2 -", "restart 2 1"},
		// Ranks 1 and 2 have ended because of a third.
		{"- 1>0 1>0", "restart 0 1"},
		{"0 1>0 1>0", "end 0 1"},
		{"7 1>0 1>0", "end 0 7"},
		{"kill 1>0 1>0", "restart 0 137"},
		{"1own 1>0 1>0", "end 0 1"},
		{"1gone 1>0 1>0", "restart 0 1"},
		// Rank 0 sees the end of rank 1, which has ended because of rank 2.
		{"1>1 1>2 -", "restart 2 1"},
		{"1>1 1>2 0", "end 2 1"},
		{"1>1 1>2 1", "end 2 1"},
		{"1>1 1>2 7", "end 2 7"},
		{"1>1 1>2 kill", "restart 2 137"},
		{"1>1 1>2 1gone", "restart 2 1"},
		{"1>1 1>2 1>3", "restart 3 1"},
		// Rank 0 says nothing.
		{"1 7 -", "end 1 7"},
		{"1 kill -", "restart 1 137"},
		{"1 1own -", "end 1 1"},
		{"1 1>2 -", "restart 2 1"},
		{"1 1>0 1>0", "end 0 1"},
	} {
		for _, order := range permutations(3) {
			for _, apart := range []time.Duration{0, settling / 4} {
				synctest.Test(t, func(t *testing.T) {
					if got := outcomeOf(t, strings.Fields(tt.ends), order, apart); got != tt.want {
						t.Errorf("ends %s in the order %v, %v apart: %s, want %s", tt.ends, order, apart, got, tt.want)
					}
				})
			}
		}
	}
}

// outcomeOf returns the outcome of ends that come in an order, and checks that the others are ended
// in time, by SIGKILL if the job starts again.
func outcomeOf(t *testing.T, ends []string, order []int, apart time.Duration) string {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	o := outcome{cancel: cancel, kill: true, hosts: []string{"a", "b", "c", "d"}}
	for _, rank := range order {
		o.record(endOf(rank, ends[rank]))
		time.Sleep(apart)
	}
	time.Sleep(blaming + time.Second)
	synctest.Wait()
	why := o.err(ctx)
	var exit *ExitError
	if !errors.As(why, &exit) {
		if ctx.Err() != nil {
			t.Errorf("%v: the ranks are ended", ends)
		}
		return "none"
	}
	what := "end"
	if died(why) {
		what = "restart"
	}
	if again := (*killing)(nil); ctx.Err() == nil || errors.As(context.Cause(ctx), &again) != died(why) {
		t.Errorf("%v: %s, and the ranks are ended with %v", ends, what, context.Cause(ctx))
	}
	return fmt.Sprint(what, " ", exit.Rank, " ", exit.Code)
}

// TestOutcomeOfHost checks that a failure which no rank has caused counts before failures of ranks,
// which may be consequences. No end counts after the ranks are ended.
func TestOutcomeOfHost(t *testing.T) {
	broken := errors.New("its output cannot be written")
	lost := &lostError{errors.New("the agent has ended")}
	for _, tt := range []struct {
		ends []error
		want error
	}{
		{[]error{endOf(0, "1"), broken}, broken},
		{[]error{endOf(0, "1>1"), broken, endOf(1, "kill")}, broken},
		{[]error{endOf(0, "1>1"), lost}, lost},
		{[]error{nil, lost, endOf(1, "7")}, lost},
	} {
		o := outcome{cancel: func(error) {}, kill: true}
		for _, err := range tt.ends {
			o.record(err)
		}
		if got := o.err(t.Context()); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.ends, got, tt.want)
		}
	}
	first := endOf(0, "1")
	o := outcome{cancel: func(error) {}}
	o.record(first)
	o.settle()
	o.record(endOf(1, "7"))
	if got := o.err(t.Context()); got != first {
		t.Errorf("the failure is %v, want the one of before the end of the ranks", got)
	}
}

// TestInterruptedText: the error of a process that a signal has ended properly says so.
func TestInterruptedText(t *testing.T) {
	e := &ExitError{Rank: 2, Code: 130, Err: errors.New("exit status 130"), Because: -1}
	if got, want := e.Error(), "launch: rank 2: exit status 130 (interrupted, as by SIGTERM or SIGINT to this process)"; got != want {
		t.Errorf("the error is %q, want %q", got, want)
	}
}
