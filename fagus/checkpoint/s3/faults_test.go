package s3

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestFaults: each request may fail in each temporary way; the object is written whole, once.
func TestFaults(t *testing.T) {
	t.Parallel()
	s := start(t)
	large, little := random(6<<20), random(50000)
	quick := s.open(t, "s3://bucket", func(l *limits) { l.attempt = time.Second })
	names := map[fault]string{broken: "broken", slow: "slow", hangs: "hangs", cut: "cut", lost: "lost", half: "half"}
	for _, what := range []string{"head", "part", "complete", "put", "get", "begin"} {
		for _, f := range []fault{broken, slow, hangs, cut, lost, half} {
			t.Run(what+" "+names[f], func(t *testing.T) {
				data, times := large, 2
				if what == "put" {
					data = little
				}
				if f == hangs {
					times = 1 // each takes a second
				}
				s.inject(once(what, f, times))
				mustWrite(t, quick, "object", data)
				mustRead(t, quick, "object", data)
				if s.count(what) == 0 {
					t.Error("no such request has come")
				}
				if err := quick.Remove(t.Context(), "object"); err != nil {
					t.Fatal(err)
				}
				// A lost answer to begin leaves an upload that nobody knows.
				if what != "begin" {
					s.clean(t)
				}
			})
		}
	}
}

// TestLasting: a permanent fault fails after a number of attempts, and leaves nothing.
func TestLasting(t *testing.T) {
	t.Parallel()
	s := start(t)
	store := s.open(t, "s3://bucket", func(l *limits) { l.attempts = 3 })
	for _, what := range []string{"begin", "part", "complete", "put"} {
		data := random(11 << 20)
		if what == "put" {
			data = data[:100]
		}
		s.inject(once(what, slow, 100))
		err := write(t, store, "object", data)
		if err == nil || !strings.Contains(err.Error(), "SlowDown") || !strings.Contains(err.Error(), "tried 3 times") {
			t.Errorf("%s: error %v", what, err)
		}
		if n := s.count(what); n%3 != 0 || n == 0 {
			t.Errorf("%s: %d requests have come: want 3 for each part", what, n)
		}
		s.clean(t)
	}
	// A cancelled run waits for nobody, but still aborts.
	ctx, cancel := context.WithCancel(t.Context())
	w, err := store.Create(ctx, "object")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(random(6 << 20)); err != nil {
		t.Fatal(err)
	}
	s.inject(func(r *http.Request) fault {
		if kind(r) == "complete" {
			cancel()
			return hangs
		}
		return none
	})
	if err := w.Commit(); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled commit: error %v, want %v", err, context.Canceled)
	}
	s.clean(t)
}

// TestUnconditional: a server without conditions is asked before an object is written.
func TestUnconditional(t *testing.T) {
	t.Parallel()
	s := start(t)
	store := s.open(t, "s3://bucket")
	s.inject(func(r *http.Request) fault {
		if r.Header.Get("If-None-Match") != "" {
			return old
		}
		return none
	})
	for _, n := range []int{100, 6 << 20} {
		w, err := store.Create(t.Context(), "object")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(random(n + 1)); err != nil {
			t.Fatal(err)
		}
		mustWrite(t, store, "object", random(n))
		if err := w.Commit(); !errors.Is(err, fs.ErrExist) {
			t.Errorf("the second: error %v, want %v", err, fs.ErrExist)
		}
		mustHave(t, store, "object", random(n))
		if err := store.Remove(t.Context(), "object"); err != nil {
			t.Fatal(err)
		}
	}
	s.clean(t)
}

// TestOpen: mistakes are reported at once, with what to do.
func TestOpen(t *testing.T) {
	s := start(t)
	const endpoint = "AWS_ENDPOINT_URL"
	silent, err := net.Listen("tcp", "127.0.0.1:0") // connections are accepted, and never served
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, c := range []struct{ name, key, value, url, want string }{
		{"key", "AWS_ACCESS_KEY_ID", "other", "", "XAdminUserNotFound"},
		{"key", "AWS_ACCESS_KEY_ID", "other", "", "set AWS_ACCESS_KEY_ID"},
		{"secret", "AWS_SECRET_ACCESS_KEY", "other", "", "SignatureDoesNotMatch"},
		{"bucket", endpoint, s.url, "s3://other/x", `create bucket "other" at ` + s.url},
		{"nobody", endpoint, "http://127.0.0.1:1", "", "connection refused: it was tried"},
		{"silent", endpoint, "http://" + silent.Addr().String(), "", "check whether http://"},
		{"tls", endpoint, "https://" + s.host(), "", "HTTP response to HTTPS client"},
		{"region", "AWS_REGION", "mars-1", "", "region"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(endpoint, s.url)
			t.Setenv(c.key, c.value)
			if c.url == "" {
				c.url = "s3://bucket/x"
			}
			began := time.Now()
			_, err := open(t.Context(), c.url, brief(func(l *limits) { l.opening = 500 * time.Millisecond }))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "s3: "+c.url+": opening it: ") {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}
