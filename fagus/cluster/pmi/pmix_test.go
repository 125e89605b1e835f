package pmi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// shared is the store of a launcher of PMIx that runs in the test.
type shared struct {
	mu      sync.Mutex
	arrived int
	fenced  chan struct{}
	values  map[string][]byte
}

func newShared() *shared { return &shared{fenced: make(chan struct{}), values: map[string][]byte{}} }

// fake is the library of one rank.
type fake struct {
	*shared
	rank, size int
	lost       *os.File
	hang       string        // the call that does not return
	over       chan struct{} // when the test is over, though
	fail       string        // the call that fails
	value      []byte        // what every rank has, unless it is nil
	other      bool          // the other rank waits in the fence
	left       bool          // finalize was called
}

func (f *fake) meet(call string) error {
	if f.hang == call {
		<-f.over
	}
	if f.fail == call {
		return errors.New("PMIX_ERROR")
	}
	return nil
}

func (f *fake) open(lost *os.File) (string, int, int, error) {
	f.lost = lost
	return "job", f.rank, f.size, f.meet("open")
}

func (f *fake) put(key string, own []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.values[fmt.Sprint(f.rank, key)] = own
	return f.meet("put")
}

func (f *fake) fence() error {
	if err := f.meet("fence"); err != nil {
		return err
	}
	s := f.shared
	s.mu.Lock()
	fenced := s.fenced
	if s.arrived++; s.arrived == f.size {
		s.arrived, s.fenced = 0, make(chan struct{})
		close(fenced)
	}
	s.mu.Unlock()
	select {
	case <-fenced:
	case <-f.over:
	}
	return nil
}

func (f *fake) get(rank int, key string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.value != nil {
		return f.value, nil
	}
	value, ok := f.values[fmt.Sprint(rank, key)]
	if !ok {
		return nil, errors.New("PMIX_ERR_NOT_FOUND")
	}
	return value, f.meet("get")
}

func (f *fake) finalize() error {
	f.left = true
	return f.meet("finalize")
}

// TestPMIxGather: the ranks get the bytes of all, in several calls.
func TestPMIxGather(t *testing.T) {
	s, errs := newShared(), make([]error, 3)
	var ranks sync.WaitGroup
	for rank := range errs {
		ranks.Go(func() {
			c, err := openPMIx(t.Context(), &fake{shared: s, rank: rank, size: len(errs)})
			if err == nil {
				err = c.exchangeAll(t.Context())
			}
			errs[rank] = err
		})
	}
	ranks.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

// exchangeAll makes several calls, checks what they return, and closes c.
func (c *Client) exchangeAll(ctx context.Context) error {
	for call, length := range []int{0, 10, 3000, 200_000} {
		blob := func(rank int) []byte { return bytes.Repeat([]byte{byte(rank + 65), byte(call)}, length+rank) }
		all, err := c.Gather(ctx, blob(c.rank))
		if err != nil {
			return err
		}
		for rank := range all {
			if len(all) != c.size || !bytes.Equal(all[rank], blob(rank)) {
				return fmt.Errorf("call %d: %d bytes of rank %d of %d differ", call, len(all[rank]), rank, len(all))
			}
		}
	}
	return c.Close(ctx)
}

// TestPMIxFailures: whatever fails or hangs, the rank gets an error that names the call, at its
// deadline at the latest, and later calls fail, too.
func TestPMIxFailures(t *testing.T) {
	for _, c := range []struct {
		f    fake
		want string
	}{
		{fake{size: 2, fail: "open"}, "connecting to the launcher: PMIX_ERROR"},
		{fake{size: 2, hang: "open"}, "connecting to the launcher: context deadline exceeded"},
		{fake{size: 2, rank: 2}, "connecting to the launcher: it says rank 2 of 2: want"},
		{fake{}, "connecting to the launcher: it says rank 0 of 0: want"},
		{fake{size: 99999}, "connecting to the launcher: it says rank 0 of 99999: want"},
		{fake{size: 2, fail: "put"}, "putting fagus-1 into the launcher's store: PMIX_ERROR"},
		{fake{size: 2, hang: "put"}, "putting fagus-1 into the launcher's store: context deadline exceeded"},
		{fake{size: 2, fail: "fence"}, "waiting for the other ranks in a fence: PMIX_ERROR"},
		{fake{size: 2, hang: "fence"}, "waiting for the other ranks in a fence: context deadline exceeded"},
		{fake{size: 2, other: true}, "getting fagus-1 of rank 1 from the launcher's store: PMIX_ERR_NOT_FOUND"},
		{fake{size: 2, other: true, value: []byte{}}, "getting fagus-1 of rank 1 from the launcher's store: it has 0 bytes: want 1 to 1048577; all ranks"},
		{fake{size: 2, other: true, value: make([]byte, maxBlob+2)}, "getting fagus-1 of rank 1 from the launcher's store: it has 1048578 bytes: want 1 to 1048577; all ranks"},
		{fake{size: 1, fail: "finalize"}, "leaving the job: PMIX_ERROR"},
		{fake{size: 1, hang: "finalize"}, "leaving the job: context deadline exceeded"},
	} {
		c.f.shared, c.f.over = newShared(), make(chan struct{})
		if c.f.other {
			c.f.arrived = 1
		}
		if err := failing(t, &c.f); err == nil || !strings.HasPrefix(err.Error(), "pmi: "+c.want) {
			t.Errorf("%v: want %q", err, c.want)
		}
		close(c.f.over)
		if c.f.hang == "open" {
			continue
		}
		closed := c.f.lost.Close() // ends what waits for the launcher's end
		if strings.Contains(c.want, "it says rank") && (!c.f.left || !errors.Is(closed, os.ErrClosed)) {
			t.Errorf("%s: the job is left: %t, and the pipe is: %v", c.want, c.f.left, closed)
		}
	}
}

// failing makes the calls of a rank whose library fails, until one does.
func failing(t *testing.T, f *fake) error {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	c, err := openPMIx(ctx, f)
	if err != nil {
		return err
	}
	if _, err = c.Gather(ctx, []byte("x")); err == nil {
		return c.Close(ctx)
	}
	if _, again := c.Gather(t.Context(), nil); again == nil {
		t.Errorf("after %q a call succeeds", err)
	}
	if closed := c.Close(t.Context()); closed != nil {
		t.Errorf("after a failure Close returns %v", closed)
	}
	return err
}

// TestPMIxLoss: the end of the launcher is reported once, before or after OnLoss is called, and
// ends a call that waits for other ranks; but it is not reported when the rank leaves.
func TestPMIxLoss(t *testing.T) {
	for _, early := range []bool{true, false} {
		f := &fake{shared: newShared(), rank: 1, size: 2, over: make(chan struct{})}
		c, err := openPMIx(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		told := make(chan dimmnet.Rank, 2)
		lost := func(rank dimmnet.Rank, _ error) { told <- rank }
		if early {
			c.OnLoss(lost)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		time.AfterFunc(10*time.Millisecond, func() { _, _ = f.lost.Write([]byte{0, 0}) })
		if _, err := c.Gather(ctx, nil); err == nil || !strings.Contains(err.Error(), "the launcher has closed the connection") {
			t.Error(err)
		}
		c.OnLoss(lost)
		select {
		case rank := <-told:
			if rank != 1 {
				t.Errorf("rank %d is lost", rank)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("no loss is reported")
		}
		if c.OnLoss(lost); len(told) > 0 {
			t.Error("reported twice")
		}
		close(f.over)
	}
	c, err := openPMIx(t.Context(), &fake{shared: newShared(), size: 1})
	if err != nil {
		t.Fatal(err)
	}
	c.OnLoss(func(dimmnet.Rank, error) { t.Error("a rank that leaves is lost") })
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestPMIxOffered: what a process gets whose launcher offers PMIx only.
func TestPMIxOffered(t *testing.T) {
	lookup := func(name string) (string, bool) {
		if name == "PMIX_NAMESPACE" {
			return "job", true
		}
		return "", false
	}
	if HasPMIx() {
		if !Offered(lookup) {
			t.Error("want an offer")
		}
		return
	}
	if _, err := Open(t.Context(), lookup); err != ErrUnavailable || Offered(lookup) {
		t.Error(err)
	}
}
