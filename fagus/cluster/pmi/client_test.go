//go:build unix

package pmi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// each runs do for all ranks of a job and returns their errors.
func (l *launcher) each(ctx context.Context, do func(*Client) error) []error {
	errs := make([]error, l.size)
	var ranks sync.WaitGroup
	for rank := range l.size {
		ranks.Go(func() {
			c, err := Open(ctx, l.lookup(rank))
			if err == nil {
				err = do(c)
				if closed := c.Close(ctx); err == nil {
					err = closed
				}
			}
			errs[rank] = err
		})
	}
	ranks.Wait()
	return errs
}

// TestGather: the ranks get the bytes of all, of any length, in several calls.
func TestGather(t *testing.T) {
	lengths := []int{0, 1, 2, 3, minValue, 700, 1023, 1024, 5000, 100_000}
	for _, l := range []*launcher{{version: 1, size: 4, values: 1024}, {version: 1, size: 3, values: minValue + 1}, {version: 1, size: 1, values: 1 << 20}, {version: 2, size: 4}} {
		t.Run(fmt.Sprintf("version %d, %d ranks, values of %d", l.version, l.size, l.values), func(t *testing.T) {
			blob := func(rank, call int) []byte {
				return bytes.Repeat([]byte{byte(rank), ';', byte(call)}, lengths[(rank+call)%len(lengths)])[:lengths[(rank+call)%len(lengths)]]
			}
			errs := l.start(t).each(t.Context(), func(c *Client) error {
				for call := range lengths {
					all, err := c.Gather(t.Context(), blob(int(c.Rank()), call))
					if err != nil {
						return err
					}
					for rank, b := range all {
						if !bytes.Equal(b, blob(rank, call)) || b == nil {
							return fmt.Errorf("call %d: %d bytes of rank %d differ", call, len(b), rank)
						}
					}
					if len(all) != c.Size() || c.Size() != l.size {
						return fmt.Errorf("call %d: %d of %d ranks", call, len(all), c.Size())
					}
				}
				return nil
			})
			if err := errors.Join(errs...); err != nil {
				t.Error(err)
			}
			if most := max(l.values-1, 0); l.version == 1 && l.longest > most || l.longest > frameValue {
				t.Errorf("the longest value has %d bytes", l.longest)
			}
		})
	}
}

func frame(body string) string { return fmt.Sprintf("%6d%s", len(body), body) }

// TestWrongAnswers: whatever a launcher answers to a request of rank 0, the rank gets an error that
// names the request and the answer, and later calls fail, too.
func TestWrongAnswers(t *testing.T) {
	for _, tt := range []struct {
		version       int
		request, sent string
		want          string
	}{
		{1, "init", "cmd=response_to_init rc=-1\n", `refuses: code "-1"`},
		{1, "init", "cmd=response_to_init rc=0 pmi_version=2\n", `answers version "2"`},
		{1, "init", "cmd=response_to_init rc=0 pmi_version=9\n", `answers version "9"`},
		{1, "init", "HTTP/1.1 400 Bad Request\n", "begins with cmd="},
		{1, "init", strings.Repeat("x", maxLine+1), "a line of more than 4096 bytes"},
		{1, "init", "", "connecting to the launcher: the launcher has closed the connection"},
		{1, "get_maxes", "cmd=maxes keylen_max=64 vallen_max=64\n", "values of 64: want at least 48 and 65"},
		{1, "get_maxes", "cmd=maxes keylen_max=20 vallen_max=1024\n", "keys of 20 bytes"},
		{1, "get_maxes", "cmd=maxes keylen_max=64\n", `answers vallen_max=""`},
		{1, "get_my_kvsname", "cmd=my_kvsname\n", "1 to 256"},
		{1, "put", "cmd=put_result rc=-1 msg=no space\n", `putting fagus-1-0-0 into the launcher's store: the launcher refuses: code "-1", reason "no space"`},
		{1, "barrier_in", "cmd=put_result rc=0\n", `waiting for the other ranks in a fence: the launcher answers "put_result": want "barrier_out"`},
		{1, "barrier_in", "cmd=barrier_out\ncmd=barrier_out\n", "without a request"},
		{1, "get", "cmd=get_result rc=0\n", "no such key: all ranks must make the same calls"},
		{1, "get", "cmd=get_result rc=-1 msg=key_x_not_found value=unknown\n", "key_x_not_found"},
		{1, "get", "cmd=get_result rc=0 value=4.AAAAAAAA\n", "a value has 8 characters: want at most the missing 6"},
		{1, "get", "cmd=get_result rc=0 value=9999999.AA\n", "no length from 0 to 1048576"},
		{1, "get", "cmd=get_result rc=0 value=3.AA=A\n", "reading the bytes of rank 1: the text of 4 characters is not base64"},
		{1, "get", "", "getting fagus-1-1-0 from the launcher's store: the launcher has closed the connection"},
		{1, "get", "cmd=get", "unexpected EOF"},
		{1, "finalize", "cmd=finalize_ack rc=1\n", "leaving the job: the launcher refuses"},
		{2, "init", "cmd=response_to_init rc=0 pmi_version=0\n", `answers version "0"`},
		{2, "fullinit", "abcdef", `the launcher sends "abcdef" before a message`},
		{2, "fullinit", "999999", `the launcher sends "999999" before a message: want its length, 1 to 65536`},
		{2, "fullinit", "     0", "1 to 65536"},
		{2, "fullinit", frame("cmd=fullinit-response;rc=14;"), "code \"14\""},
		{2, "fullinit", frame("cmd=fullinit-response;rc=0;rank=1;size=2;;"), "at the end of a message"},
		{2, "fullinit", frame("cmd=fullinit-response;rc=0;rank=1;size=2;"), "it says rank 1 of 2, but its variables PMI_RANK=0 and PMI_SIZE=2"},
		{2, "kvs-put", frame("cmd=kvs-put-response;rc=3;errmsg=out of it;;;"), `reason "out of it;"`},
		{2, "kvs-fence", "100   cmd=", "unexpected EOF"},
		{2, "kvs-get", frame("cmd=kvs-get-response;found=FALSE;rc=0;"), "no such key"},
	} {
		l := &launcher{version: tt.version, size: 2, present: 1, values: 1024}
		done := false
		l.instead = func(_ int, m message) (sent string, over, handled bool) {
			if done || m.cmd != tt.request {
				return "", false, false
			}
			done = true
			return tt.sent, tt.sent == "" || strings.HasSuffix(tt.want, "EOF"), true
		}
		err := l.start(t).alone(t)
		if err == nil || !strings.HasPrefix(err.Error(), "pmi: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("version %d: %s answered by %.80q: %v, want %q", tt.version, tt.request, tt.sent, err, tt.want)
		}
		l.stop()
	}
}

// alone runs rank 0 through two calls of Gather. The store has the values of rank 1.
func (l *launcher) alone(t *testing.T) error {
	t.Helper()
	l.mu.Lock()
	for call := range uint32(2) {
		l.store[valueKey(call+1, 1, 0)] = split([]byte("abc"), minValue)[0]
	}
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c, err := Open(ctx, l.lookup(0))
	if err != nil {
		return err
	}
	_, err = c.Gather(ctx, []byte("own"))
	_, again := c.Gather(ctx, nil)
	closed := c.Close(ctx)
	if err != nil && (again == nil || closed != nil) {
		t.Errorf("after %v, Gather returns %v and Close %v", err, again, closed)
	}
	return cmp.Or(err, again, closed)
}

// TestSilence: if the launcher does not answer a request, the call ends with its context.
func TestSilence(t *testing.T) {
	for version, requests := range map[int][]string{1: {"init", "get_maxes", "put", "barrier_in", "get", "finalize"}, 2: {"init", "fullinit", "kvs-fence"}} {
		for _, request := range requests {
			l := &launcher{version: version, size: 2, present: 1, values: 1024}
			l.instead = func(_ int, m message) (sent string, over, handled bool) { return "", false, m.cmd == request }
			l.start(t)
			for call := range uint32(2) {
				l.store[valueKey(call+1, 1, 0)] = split(nil, minValue)[0]
			}
			begin := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			c, err := Open(ctx, l.lookup(0))
			if err == nil {
				_, err = c.Gather(ctx, nil)
				if closed := c.Close(ctx); err == nil {
					err = closed
				}
			}
			cancel()
			if took := time.Since(begin); !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "pmi: ") || took > 10*time.Second {
				t.Errorf("without an answer to %s: %v after %v", request, err, took)
			}
			l.stop()
		}
	}
}

// TestNoAnswer: without a deadline of the context, a request has one of its own.
func TestNoAnswer(t *testing.T) {
	l := &launcher{version: 1, size: 1, values: 1024}
	l.instead = func(_ int, m message) (sent string, over, handled bool) { return "", false, m.cmd == "get_appnum" }
	l.start(t)
	c, err := Open(t.Context(), l.lookup(0))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.server.(*wire).ask(exchange{doing: "asking", request: []byte("cmd=get_appnum\n"), answer: "appnum", within: 10 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "pmi: asking: the launcher has not answered for 10ms") {
		t.Error(err)
	}
	if err := c.Close(t.Context()); err == nil {
		t.Error("Close returns no error after a failure that no call has returned")
	}
}

// TestCancelled: a call fails if its context is done before.
func TestCancelled(t *testing.T) {
	l := (&launcher{version: 1, size: 1, values: 1024}).start(t)
	c, err := Open(t.Context(), l.lookup(0))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	if _, err := c.Gather(ctx, nil); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "enough") {
		t.Error(err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := c.Gather(t.Context(), nil); err == nil {
		t.Error("Gather succeeds after Close")
	}
	if _, err := c.Gather(t.Context(), make([]byte, maxBlob+1)); err == nil {
		t.Error("Gather of more than 1 MiB succeeds")
	}
	if err := c.Close(t.Context()); err != nil {
		t.Errorf("the second Close: %v", err)
	}
}

// TestOnLoss: the end of the launcher is reported once, before or after OnLoss, but not after
// Close. After that the process cannot open a second Client.
func TestOnLoss(t *testing.T) {
	for _, early := range []bool{true, false} {
		l := (&launcher{version: 2, size: 1}).start(t)
		c, err := Open(t.Context(), l.lookup(0))
		if err != nil {
			t.Fatal(err)
		}
		lost := make(chan error, 2)
		on := func(rank dimmnet.Rank, why error) {
			if rank != 0 {
				t.Errorf("rank %d is lost", rank)
			}
			lost <- why
		}
		if early {
			c.OnLoss(on)
		}
		l.stop()
		<-c.server.(*wire).ended
		if !early {
			c.OnLoss(on)
		}
		c.OnLoss(nil)
		c.OnLoss(on)
		if why := <-lost; !strings.HasPrefix(why.Error(), "pmi: the launcher has closed the connection") || len(lost) > 0 {
			t.Errorf("the reason is %v, and there are %d more", why, len(lost))
		}
		if err := c.Close(t.Context()); err == nil {
			t.Error("Close returns no error after the end of the launcher")
		}
	}
	l := (&launcher{version: 1, size: 1, values: 1024}).start(t)
	c, err := Open(t.Context(), l.lookup(0))
	if err != nil {
		t.Fatal(err)
	}
	c.OnLoss(func(_ dimmnet.Rank, why error) { t.Errorf("lost: %v", why) })
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := Open(t.Context(), l.lookup(0)); err == nil || !strings.Contains(err.Error(), "closed the connection") && !strings.Contains(err.Error(), "broken pipe") {
		t.Errorf("the second Open: %v", err)
	}
	if c.Job() != "kvs_1" {
		t.Errorf("the job is %q", c.Job())
	}
}

func TestEnvironment(t *testing.T) {
	if _, err := Open(t.Context(), func(string) (string, bool) { return "", false }); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	null := strconv.Itoa(int(file.Fd()))
	for _, tt := range []struct{ fd, rank, size, job, want string }{
		{"x", "0", "1", "", `PMI_FD="x": want a number from 3 to`},
		{"2", "0", "1", "", `PMI_FD="2": want a number from 3 to`},
		{"9", "1", "1", "", `PMI_RANK="1": want a number from 0 to 0`},
		{"9", "", "1", "", `PMI_RANK="": want a number from 0 to 0`},
		{"9", "0", "", "", `PMI_SIZE="": want a number from 1 to`},
		{"9", "-1", "4", "", `PMI_RANK="-1": want a number from 0 to 3`},
		{"9", "0", "4", "a;b", `PMI_JOBID="a;b": want`},
		{"9", "0", "4", strings.Repeat("j", maxName+1), `want at most 256 bytes`},
		{null, "0", "1", "", "PMI_FD=" + null + ": it is no socket: the process must be"},
		{"1000000", "0", "1", "", "bad file descriptor"},
	} {
		env := map[string]string{"PMI_FD": tt.fd, "PMI_RANK": tt.rank, "PMI_SIZE": tt.size, "PMI_JOBID": tt.job}
		_, err := Open(t.Context(), func(name string) (string, bool) { return env[name], env[name] != "" })
		if err == nil || !strings.HasPrefix(err.Error(), "pmi: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt, err, tt.want)
		}
	}
}
