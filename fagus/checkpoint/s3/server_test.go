package s3

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// A server is a Versity gateway, which keeps objects in a directory, behind a proxy that injects
// faults. It needs only the go command, which builds the gateway from the module in testdata the
// first time that this test runs on a machine.
type server struct {
	url    string
	folder string // where the bucket is
	proxy  *httputil.ReverseProxy

	mu    sync.Mutex
	fault func(*http.Request) fault // nil: there are none
	done  []string                  // the kinds of requests that have come
	stale []byte                    // the answer to listings, if not nil
}

// fault is what the proxy does with a request.
type fault int

const (
	none   fault = iota
	broken       // answers 500
	slow         // answers 503 SlowDown
	hangs        // never answers
	cut          // reads half of the request and closes the connection
	lost         // lets the server do it, and closes the connection instead of answering
	half         // closes the connection after half of the answer
	old          // answers 501 to a condition
)

const accessKey, secretKey = "fagus", "unsafe-secret"

// TestMain sets the credentials.
func TestMain(m *testing.M) {
	for key, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey, "AWS_SESSION_TOKEN": "",
		"AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_S3": "", "AWS_REGION": "us-east-1",
	} {
		os.Setenv(key, value)
	}
	os.Exit(m.Run())
}

// start starts a server with an empty bucket named "bucket", until the test ends.
func start(t *testing.T) *server {
	t.Helper()
	if testing.Short() {
		t.Skip("building an S3 server takes a minute")
	}
	longtest.ThirdOf(t, "S3 server")
	program, err := gateway()
	if err != nil {
		t.Skip(err)
	}
	root, err := os.MkdirTemp("", "s3") // t.TempDir may be too long for the name of a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	objects, meta, socket := filepath.Join(root, "objects"), filepath.Join(root, "meta"), filepath.Join(root, "socket")
	for _, dir := range []string{objects, meta} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	log := new(strings.Builder)
	cmd := exec.Command(program, "--access", accessKey, "--secret", secretKey, "--port", socket, "--quiet", "posix", "--sidecar", meta, objects)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	dial := func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", socket) }
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if c, err := dial(t.Context(), "", ""); err == nil {
			c.Close()
			break
		} else if time.Since(began) > 30*time.Second {
			t.Fatalf("the gateway does not listen: %v\n%s", err, log)
		}
	}
	s := &server{proxy: &httputil.ReverseProxy{
		// The host is what the client has signed.
		Rewrite:      func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = "http", "gateway" },
		Transport:    &http.Transport{DialContext: dial, DisableCompression: true, DisableKeepAlives: true},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}}
	front := httptest.NewServer(s)
	t.Cleanup(front.Close)
	t.Cleanup(front.CloseClientConnections)
	s.url = front.URL
	s.folder = filepath.Join(objects, "bucket")
	if err := os.Mkdir(s.folder, 0o777); err != nil {
		t.Fatal(err)
	}
	return s
}

// gateway builds the gateway, or finds an earlier build.
var gateway = sync.OnceValues(func() (program string, err error) {
	cmd := exec.Command("go", "tool", "-n", "versitygw")
	cmd.Dir = filepath.Join("testdata", "versitygw")
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	var why strings.Builder
	cmd.Stderr = &why
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("the S3 server cannot be built: %w\n%s", err, why.String())
	}
	return strings.TrimSpace(string(out)), nil
})

// open opens a store with parts of 5 MiB, the least that S3 permits, and short pauses.
func (s *server) open(t *testing.T, url string, change ...func(*limits)) *Store {
	t.Helper()
	store, err := open(t.Context(), url+"?endpoint="+s.url, brief(change...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.transport.CloseIdleConnections)
	return store
}

// brief are limits for tests.
func brief(change ...func(*limits)) limits {
	l := limits{part: 5 << 20, attempts: 6, attempt: 20 * time.Second, opening: 30 * time.Second, pause: 2 * time.Millisecond}
	for _, c := range change {
		c(&l)
	}
	return l
}

// inject sets the faults from now on, and forgets earlier requests.
func (s *server) inject(f func(*http.Request) fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.done = f, nil
}

// count returns the number of requests of a kind since inject.
func (s *server) count(what string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.done {
		if w == what {
			n++
		}
	}
	return n
}

// once makes the first requests of a kind fail.
func once(what string, f fault, times int) func(*http.Request) fault {
	return func(r *http.Request) fault {
		if kind(r) == what && times > 0 {
			times--
			return f
		}
		return none
	}
}

// kind names a request.
func kind(r *http.Request) string {
	query := r.URL.Query()
	switch {
	case r.Method == http.MethodGet && query.Has("list-type"):
		return "list"
	case query.Has("uploads"):
		return "begin"
	case query.Has("partNumber"):
		return "part"
	case query.Has("uploadId") && r.Method == http.MethodPost:
		return "complete"
	case query.Has("uploadId") && r.Method == http.MethodDelete:
		return "abort"
	}
	return strings.ToLower(r.Method)
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f, stale := none, s.stale
	if s.fault != nil {
		f = s.fault(r)
	}
	s.done = append(s.done, kind(r))
	s.mu.Unlock()
	if stale != nil && kind(r) == "list" {
		w.Write(stale)
		return
	}
	switch f {
	case broken:
		refuse(w, r, http.StatusInternalServerError, "InternalError")
	case slow:
		refuse(w, r, http.StatusServiceUnavailable, "SlowDown")
	case old:
		refuse(w, r, http.StatusNotImplemented, "NotImplemented")
	case hangs:
		io.Copy(io.Discard, r.Body) // until then the end of the client is not noticed
		<-r.Context().Done()
	case cut:
		io.CopyN(io.Discard, r.Body, r.ContentLength/2)
		panic(http.ErrAbortHandler)
	case lost:
		s.proxy.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case half:
		answer := httptest.NewRecorder()
		s.proxy.ServeHTTP(answer, r)
		for key, values := range answer.Header() {
			w.Header()[key] = values
		}
		w.WriteHeader(answer.Code)
		w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	default:
		s.proxy.ServeHTTP(w, r)
	}
}

func refuse(w http.ResponseWriter, r *http.Request, status int, code string) {
	io.Copy(io.Discard, r.Body)
	w.WriteHeader(status)
	io.WriteString(w, "<Error><Code>"+code+"</Code><Message>injected</Message></Error>")
}

// freeze makes listings return their present answer until thaw is called.
func (s *server) freeze(t *testing.T, store *Store) (thaw func()) {
	t.Helper()
	answer := httptest.NewRecorder()
	real := s.proxy.ModifyResponse
	s.proxy.ModifyResponse = func(r *http.Response) error {
		body, err := io.ReadAll(r.Body)
		answer.Write(body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		return err
	}
	if _, err := store.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.proxy.ModifyResponse = real
	set := func(b []byte) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.stale = b
	}
	set(answer.Body.Bytes())
	return func() { set(nil) }
}

// clean checks that the bucket has these objects and no unfinished upload.
func (s *server) clean(t *testing.T, want ...string) {
	t.Helper()
	s.inject(nil)
	store := s.open(t, "s3://bucket")
	// A library that is not ours sees the same.
	library, err := minio.New(store.endpoint.Host, &minio.Options{Creds: store.creds, Region: store.address.region})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for o := range library.ListObjectsIter(t.Context(), "bucket", minio.ListObjectsOptions{Recursive: true}) {
		if o.Err != nil {
			t.Error(o.Err)
		}
		got = append(got, o.Key)
	}
	for o := range library.ListIncompleteUploads(t.Context(), "bucket", "", true) {
		if o.Err != nil {
			t.Error(o.Err)
		}
		got = append(got, "unfinished "+o.Key)
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("the bucket has %q: want %q", got, want)
	}
}

// host returns the endpoint without its scheme.
func (s *server) host() string {
	u, _ := url.Parse(s.url)
	return u.Host
}
