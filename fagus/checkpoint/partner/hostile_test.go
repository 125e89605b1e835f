package partner

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// files returns all files in a folder and the folders below it, except locked ones.
func files(t *testing.T, folder string) (all []string) {
	t.Helper()
	if err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && e.Name() != "lock" {
			all = append(all, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// dial connects to the memory of host 0 as a rank.
func (h *hosts) dial(t *testing.T) net.Conn {
	t.Helper()
	cfg := h.ranks.Client(0)
	cfg.NextProtos = []string{"http/1.1"}
	c, err := tls.Dial("tcp", h.at[0], cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // the test may have closed it
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c
}

// ask sends text, and returns the code of the answer; 0: the connection ended.
func ask(t *testing.T, c net.Conn, text string) int {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		return 0
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0
	}
	_ = answer.Body.Close() // nobody reads it
	return answer.StatusCode
}

const (
	chunked = " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTrailer: Fagus-Sum\r\n\r\n"
	whole   = "4\r\ntext\r\n0\r\nFagus-Sum: 4-" // its sum follows
)

// sum is the CRC-32C of "text".
var sum = fmt.Sprintf("%08x", checksumOf("text"))

func checksumOf(text string) uint32 {
	sum := newSum()
	_, _ = sum.Write([]byte(text)) // never fails
	return sum.Sum32()
}

// TestHostileRequests: whatever a request says, nothing is read or written outside of the folder,
// and the server goes on.
func TestHostileRequests(t *testing.T) {
	outside := t.TempDir()
	h := newHosts(t, 1)
	h.servers[0].greeting = 200 * time.Millisecond // for requests that do not end
	h.attempt(t)
	secret := filepath.Join(outside, "c00000001.manifest")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(h.folders[0], "out")); err != nil {
		t.Fatal(err)
	}
	up := "/" + strings.Repeat("../", 20)
	enc := strings.ReplaceAll(strings.Repeat("../", 20)+secret[1:], "/", "%2f")
	for _, path := range []string{
		up + secret[1:], "/0/" + enc, "/0/..", "/0/.", "/0/%2e%2e", "/../x", "//x", "/0/lock", "/0/x.unfinished", "/0/" + strings.Repeat("x", 101),
		"/0/x%00", "/0/x%0a", "/0/-x", "/0/", "/-1/x", "/00/x", "/+1/x", "/4096/x", "/99999999999999999999/x", "/out/c00000001.manifest", "/" + enc + "/x", "/0x0/x", "/0/a/b", "/ü/x", "/0/ü",
	} {
		for _, request := range []string{"GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n", "DELETE " + path + " HTTP/1.1\r\nHost: h\r\n\r\n", "PUT " + path + chunked + whole + sum + "\r\n\r\n"} {
			if code := ask(t, h.dial(t), request); code < 300 && code != 0 || code >= 500 {
				t.Errorf("%.60q: answer %d", request, code)
			}
		}
	}
	for _, request := range []string{
		"POST /0/x" + chunked + whole + sum + "\r\n\r\n", "PATCH / HTTP/1.1\r\nHost: h\r\n\r\n", "CONNECT x:1 HTTP/1.1\r\nHost: h\r\n\r\n", "garbage\r\n\r\n", "\x00\x01\x02\x03",
		"GET / HTTP/1.1\r\nHost: h\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n",
		"PUT /0/x HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", "PUT /0/x HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\ntext",
		"GET /0/x HTTP/1.1\r\nHost: h\r\nRange: bytes=0-18446744073709551615\r\n\r\n",
	} {
		if code := ask(t, h.dial(t), request); code < 300 && code != 0 {
			t.Errorf("%.60q: answer %d", request, code)
		}
	}
	if left := files(t, h.folders[0]); len(left) > 0 {
		t.Errorf("files: %v", left)
	}
	if left := files(t, outside); !slices.Equal(left, []string{secret}) {
		t.Errorf("files outside: %v", left)
	}
	put(t, h.store(t, 0), "c00000001.manifest", "text") // the server still serves
	if code := ask(t, h.dial(t), "GET /0/c00000001.manifest HTTP/1.1\r\nHost: h\r\nRange: bytes=1-18446744073709551615\r\n\r\n"); code == http.StatusOK {
		t.Errorf("a wild range: answer %d", code)
	}
}

// TestHalfUploads: an upload that is incomplete, or does not match its trailer, leaves nothing.
func TestHalfUploads(t *testing.T) {
	h := newHosts(t, 1)
	h.servers[0].patience = 200 * time.Millisecond
	h.attempt(t)
	begin := "PUT /0/c00000001-00000.part" + chunked
	for what, body := range map[string]string{
		"wrong sum":    whole + "00000000\r\n\r\n",
		"wrong length": "4\r\ntext\r\n0\r\nFagus-Sum: 5-" + sum + "\r\n\r\n",
		"no sum":       "4\r\ntext\r\n0\r\n\r\n",
		"changed":      "4\r\ntixt\r\n0\r\nFagus-Sum: 4-" + sum + "\r\n\r\n",
		"bad chunk":    "zz\r\ntext\r\n0\r\n\r\n",
	} {
		if code := ask(t, h.dial(t), begin+body); code < 400 {
			t.Errorf("%s: answer %d", what, code)
		}
	}
	for _, body := range []string{"", "4\r\n", "4\r\ntext\r\n", whole + sum} {
		c := h.dial(t)
		if _, err := io.WriteString(c, begin+body); err != nil {
			t.Fatal(err)
		}
		_ = c.Close() // in the middle
		c = h.dial(t)
		if code := ask(t, c, begin+body); code >= 200 && code < 300 { // it hangs in the middle
			t.Errorf("%q and no more: answer %d", body, code)
		}
	}
	for begun := time.Now(); len(files(t, h.folders[0])) > 0; time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("left: %v", files(t, h.folders[0]))
		}
	}
	if code := ask(t, h.dial(t), begin+whole+sum+"\r\n\r\n"); code != http.StatusCreated {
		t.Errorf("a whole upload: answer %d", code)
	}
	if code := ask(t, h.dial(t), begin+whole+sum+"\r\n\r\n"); code != http.StatusConflict {
		t.Errorf("the same again: answer %d", code)
	}
	if got := files(t, h.folders[0]); len(got) != 1 {
		t.Errorf("files: %v", got)
	}
}

// ownFolder returns the memory of host 1, in the state in which its server leaves it.
func ownFolder(t *testing.T) folder {
	f := folder(inMemory(t))
	if err := f.begin(t.Context(), 1, nil); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestStrangers: a client without an identity of this attempt, or of another host, gets nothing.
func TestStrangers(t *testing.T) {
	h := newHosts(t, 2)
	put(t, h.store(t, 0), "c00000001.manifest", "text")
	other := newHosts(t, 2)
	mine := h.ranks
	dialer := func(id *identity.Identity, host int) *tls.Config {
		cfg := id.Client(1)
		if host == 0 {
			cfg = id.Client(0)
		}
		cfg.NextProtos = []string{"http/1.1"}
		return cfg
	}
	blind := dialer(mine, 0)
	blind.Certificates = nil
	old := dialer(mine, 0)
	old.MinVersion, old.MaxVersion = tls.VersionTLS12, tls.VersionTLS12
	trusting := dialer(other.ranks, 0)
	trusting.InsecureSkipVerify = true
	for what, cfg := range map[string]*tls.Config{
		"no certificate": blind, "TLS 1.2": old, "certificate of another job": trusting, "another job": dialer(other.ranks, 0), "the name of another host": dialer(mine, 1),
	} {
		c, err := tls.Dial("tcp", h.at[0], cfg)
		if err != nil {
			continue // refused by the client, or by the server
		}
		if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if code := ask(t, c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); code != 0 {
			t.Errorf("%s: answer %d", what, code)
		}
		_ = c.Close() // it may be closed
	}
	c, err := net.Dial("tcp", h.at[0])
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if code := ask(t, c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); code == http.StatusOK {
		t.Error("in clear: answered")
	}
	// A rank of an earlier attempt has the old identity.
	before := h.store(t, 1)
	h.attempt(t)
	late := &Store{home: 1, folder: ownFolder(t), others: []*client{newClient(0, h.at[0], mine, time.Second)}}
	if _, err := late.Open(t.Context(), "c00000001.manifest"); err == nil {
		t.Error("a rank of an earlier attempt reads")
	}
	for _, s := range []*Store{before, late} {
		w, err := s.Create(t.Context(), "c00000002-00001.part")
		if err == nil {
			err = w.Commit()
		}
		if err == nil {
			t.Error("a rank of an earlier attempt writes")
		}
		if err := s.Remove(t.Context(), "c00000001.manifest"); err == nil {
			t.Error("a rank of an earlier attempt removes")
		}
		_ = s.Close() // never fails
	}
	if got := h.names(t, 0, 0); !slices.Equal(got, []string{"c00000001.manifest"}) || len(h.names(t, 0, 1)) > 0 {
		t.Errorf("host 0 has %v and %v", got, h.names(t, 0, 1))
	}
}

// TestCrowd: connections that send nothing keep nobody out.
func TestCrowd(t *testing.T) {
	h := newHosts(t, 2)
	h.servers[0].greeting = time.Second
	h.attempt(t)
	for range 2 * mostStrangers {
		c, err := net.Dial("tcp", h.at[0])
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	begun := time.Now()
	put(t, h.store(t, 1), "c00000001.manifest", "text")
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("a rank waited for %v", took)
	}
}

// TestIdle: a connection that has sent a request does not stay open forever.
func TestIdle(t *testing.T) {
	h := newHosts(t, 2)
	h.servers[0].patience = 300 * time.Millisecond
	h.attempt(t)
	c := h.dial(t)
	if code := ask(t, c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); code != http.StatusOK {
		t.Fatalf("answer %d", code)
	}
	if err := c.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("%v: want that the server ends the connection", err)
	}
}

// TestLateRequest: a request that begins after the end of an attempt returns.
func TestLateRequest(t *testing.T) {
	s := NewServer(inMemory(t))
	if err := s.Serve(listenHere(t), nil, 0, nil); err != nil {
		t.Fatal(err)
	}
	handler := s.now.handler()
	s.End()
	aborted := make(chan any)
	go func() {
		defer func() { aborted <- recover() }()
		handler.ServeHTTP(nil, nil)
	}()
	select {
	case got := <-aborted:
		if got != http.ErrAbortHandler {
			t.Errorf("it ends with %v", got)
		}
	case <-time.After(5 * time.Second):
		t.Error("it waits")
	}
}

// TestLateUpload: when an attempt ends, so do its uploads. None of their objects appears later.
func TestLateUpload(t *testing.T) {
	h := newHosts(t, 2)
	s := h.store(t, 1)
	w, err := s.Create(t.Context(), "c00000001-00001.part")
	if err != nil {
		t.Fatal(err)
	}
	big := bytes.Repeat([]byte("x"), 1<<20)
	if _, err := w.Write(big); err != nil {
		t.Fatal(err)
	}
	h.attempt(t)
	if _, err := w.Write(big); err == nil {
		err = w.Commit()
		if err == nil {
			t.Error("the upload has succeeded")
		}
	} else {
		w.Abort()
	}
	if all := append(files(t, h.folders[0]), files(t, h.folders[1])...); len(all) > 0 {
		t.Errorf("left: %v", all)
	}
}

// TestSlowHost: a host that accepts connections and then does nothing costs a bounded time.
func TestSlowHost(t *testing.T) {
	at := listenHere(t)
	defer at.Close()
	const limit = 300 * time.Millisecond
	for _, id := range []*identity.Identity{nil, newHosts(t, 2).ranks} {
		s := &Store{home: 1, folder: ownFolder(t), others: []*client{newClient(0, at.Addr().String(), id, limit)}}
		begun := time.Now()
		if _, err := s.Open(t.Context(), "c00000001.manifest"); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open: %v", err)
		}
		if all, err := s.List(t.Context()); err != nil || len(all) > 0 { // one of two may be silent
			t.Errorf("List: %v, %v", all, err)
		}
		for _, bytes := range []int{1, 64 << 20} { // more than the buffers of a connection have
			w, err := s.Create(t.Context(), "c00000001-00001.part")
			if err != nil {
				t.Fatal(err)
			}
			if _, err = w.Write(make([]byte, bytes)); err == nil {
				err = w.Commit()
			} else {
				w.Abort()
			}
			if err == nil {
				t.Errorf("%d bytes are written to a host that does not read", bytes)
			}
		}
		if took := time.Since(begun); took > 20*limit {
			t.Errorf("took %v", took)
		}
		if left := files(t, string(s.folder)); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		_ = s.Close() // never fails
	}
}

// TestBoth: an object is at home only when its partner has it. An upload that the partner does not
// confirm is visible nowhere, to no rank.
func TestBoth(t *testing.T) {
	h := newHosts(t, 2)
	const name = "c00000001-00000.part"
	s := h.store(t, 0)
	w, err := s.Create(t.Context(), name)
	if err == nil {
		_, err = io.WriteString(w, "text")
	}
	if err != nil {
		t.Fatal(err)
	}
	// The partner got the object from elsewhere, as if in an earlier attempt.
	of, err := checkpoint.OpenDirectory(folder(h.folders[1]).path(0))
	if err != nil {
		t.Fatal(err)
	}
	old, err := of.Create(context.Background(), name)
	if err == nil {
		_, err = io.WriteString(old, "olds")
	}
	if err == nil {
		err = old.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Commit: error %v, want %v", err, fs.ErrExist)
	}
	for host := range 2 {
		if r, err := h.store(t, host).Open(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("host %d opens %v, %v", host, r, err)
		}
	}
}

// TestAddress: only a result of Address is an address.
func TestAddress(t *testing.T) {
	path, host, others, err := parse(Address("/dev/shm/a=b,c", 3, []Place{{0, "10.0.0.1:1"}, {7, "[fd77::1]:2"}}))
	if err != nil || path != "/dev/shm/a=b,c" || host != 3 || !slices.Equal(others, []Place{{0, "10.0.0.1:1"}, {7, "[fd77::1]:2"}}) {
		t.Errorf("%s, %d, %v, %v", path, host, others, err)
	}
	for _, bad := range []string{"", "memory://", "memory://1", "memory://1=", "memory://=/x", "memory://1@a:1=/x", "memory://1,2=/x", "memory://1,1@a:1=/x", "memory://1,2@a=/x", "memory://1,-2@a:1=/x", "memory://4096=/x", "memory://1,=/x", "s3://1=/x"} {
		if s, err := Open(bad, nil); err == nil {
			t.Errorf("%q is the address of %v", bad, s)
		}
	}
}
