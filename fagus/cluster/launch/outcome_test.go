package launch

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestOutcome checks which failure counts if a rank that gives up because of another rank ends
// first.
func TestOutcome(t *testing.T) {
	gaveUp := &ExitError{Rank: 0, Code: 1, Because: -1}
	culprit, other := &ExitError{Rank: 1, Code: 7, Because: -1}, &ExitError{Rank: 2, Code: 137, Because: -1}
	admits, blames := &ExitError{Rank: 3, Code: 1, Because: 3}, &ExitError{Rank: 4, Code: 1, Because: 3}
	mute := &ExitError{Rank: 3, Code: 1, Because: -1} // blamed by another
	broken := errors.New("its output cannot be written")
	for _, test := range []struct {
		ends []error
		late bool // all failures but the first come after the settling time
		want error
	}{
		{ends: nil, want: nil},
		{ends: []error{nil, gaveUp, nil}, want: gaveUp},
		{ends: []error{gaveUp, culprit, other}, want: culprit},
		{ends: []error{culprit, gaveUp, other}, want: culprit},
		{ends: []error{gaveUp, broken}, want: broken},
		{ends: []error{gaveUp, admits, culprit}, want: admits},
		{ends: []error{blames, admits}, want: admits},
		{ends: []error{blames, mute, gaveUp}, want: mute},
		{ends: []error{gaveUp, culprit}, late: true, want: gaveUp},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		v := outcome{cancel: cancel}
		for i, err := range test.ends {
			v.record(err)
			if i == 0 && test.late {
				v.settle()
			}
		}
		if got := v.err(ctx); got != test.want {
			t.Errorf("%v (late: %v): %v, want %v", test.ends, test.late, got, test.want)
		}
		if test.want != nil {
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Second):
				t.Errorf("%v: the other ranks are not ended", test.ends)
			}
		}
		cancel(nil)
	}
	var exit *ExitError
	if got := firstFailed(blames, nil); !errors.As(got, &exit) || exit.Rank != 3 || exit.Code != 1 {
		t.Errorf("a rank that blames rank 3: %v, want rank 3", got)
	}
	for _, err := range []error{nil, gaveUp, culprit, admits, broken} {
		if got := firstFailed(err, nil); got != err {
			t.Errorf("%v becomes %v", err, got)
		}
	}
}
