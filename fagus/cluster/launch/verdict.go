package launch

import (
	"context"
	"errors"
	"sync"
	"time"
)

// hearing is how long the ends of other ranks count beside the first. A rank that has lost
// another ends as well, so soon that its end may be seen before the other's.
const hearing = 200 * time.Millisecond

// verdict is why a job has failed: because of the rank that was first, as far as can be told.
// The others give up with 1, the code of most errors; so another one counts more.
type verdict struct {
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	why   error
	since time.Time
}

// note hears how a rank has ended; nil is well. The first failure ends all ranks, when
// those who fail by themselves have been heard.
func (v *verdict) note(err error) {
	if err == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.why == nil:
		v.why, v.since = err, time.Now()
		time.AfterFunc(hearing, func() { v.cancel(err) })
	case time.Since(v.since) < hearing && vague(v.why) && !vague(err):
		v.why = err
	}
}

// vague says whether err may be the end of a rank because of another's.
func vague(err error) bool {
	var exit *ExitError
	return errors.As(err, &exit) && exit.Code == 1
}

// of is the verdict when all ranks have ended: that, or why ctx is done.
func (v *verdict) of(ctx context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.why != nil {
		return v.why
	}
	return context.Cause(ctx)
}
