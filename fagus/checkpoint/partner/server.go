package partner

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

const (
	// patience bounds each step of a request.
	patience = 15 * time.Second
	// greeting bounds the time until a connection has sent its first request.
	greeting = 3 * time.Second
	// mostStrangers is how many connections that have sent no request are open at a time.
	mostStrangers = 256
	mostHeader    = 8 << 10
	sumTrailer    = "Fagus-Sum" // length and CRC-32C of an upload
)

// Server gives the ranks of other hosts the memory of this host.
type Server struct {
	folder   folder
	patience time.Duration // the constants, except in tests
	greeting time.Duration
	now      *serving // nil: no attempt
}

// NewServer returns a server for a folder that contains nothing else. It does not serve yet.
func NewServer(path string) *Server {
	return &Server{folder: folder(path), patience: patience, greeting: greeting}
}

// Serve serves an attempt of the job, at a listener that it closes. It ends the previous attempt,
// and returns when the new one has begun. home is the number of this host; lost are the numbers of
// the hosts lost since the beginning of the job. Without an identity it serves everybody, in
// clear.
func (s *Server) Serve(at net.Listener, id *identity.Identity, home int, lost []int) error {
	s.End()
	if err := s.folder.begin(context.Background(), home, lost); err != nil {
		_ = at.Close() // the first error counts
		return fmt.Errorf("partner: %w", err)
	}
	at = &steady{at, s.patience}
	if id != nil {
		cfg := id.Server()
		cfg.NextProtos = []string{"http/1.1"}
		at = tls.NewListener(at, cfg)
	}
	now := &serving{folder: s.folder, patience: s.patience}
	strangers := crowd{slots: make(chan struct{}, mostStrangers)}
	now.http = &http.Server{
		Handler: now.handler(), ReadHeaderTimeout: s.greeting, IdleTimeout: s.patience, MaxHeaderBytes: mostHeader, ConnState: strangers.state,
		ErrorLog: log.New(io.Discard, "", 0), // strangers do not fill a log
	}
	now.ended.Go(func() { _ = now.http.Serve(at) }) // Serve always returns an error
	s.now = now
	return nil
}

// End ends the attempt. No request changes the memory afterwards.
func (s *Server) End() {
	if s.now == nil {
		return
	}
	now := s.now
	now.over.Store(true)
	_ = now.http.Close() // errors are of connections that are broken already
	now.ended.Wait()
	now.busy.Lock()         // its requests have returned
	defer now.busy.Unlock() // later ones see that it is over
	s.now = nil
}

// Newest returns the number of the newest checkpoint whose manifest is here, or 0.
func (s *Server) Newest(ctx context.Context) (number uint64, err error) {
	homes, err := s.folder.homes()
	for _, home := range homes {
		of, opened := s.folder.of(home)
		if opened != nil {
			return 0, opened
		}
		numbers, listed := checkpoint.Numbers(ctx, of)
		if listed != nil {
			return 0, listed
		}
		if len(numbers) > 0 {
			number = max(number, numbers[len(numbers)-1])
		}
	}
	return number, err
}

// crowd limits the connections that have not sent a request. The accepting goroutine waits.
type crowd struct {
	slots   chan struct{}
	waiting sync.Map // by connection
}

func (c *crowd) state(conn net.Conn, now http.ConnState) {
	if now == http.StateNew {
		c.slots <- struct{}{}
		c.waiting.Store(conn, nil)
	} else if _, stranger := c.waiting.LoadAndDelete(conn); stranger {
		<-c.slots
	}
}

// serving is the service for one attempt.
type serving struct {
	folder   folder
	patience time.Duration
	http     *http.Server
	ended    sync.WaitGroup // of Serve
	busy     sync.RWMutex   // held for reading by each request
	over     atomic.Bool    // no further request is answered
}

func (s *serving) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.list)
	mux.HandleFunc("GET /{home}/{name}", s.get)
	mux.HandleFunc("PUT /{home}/{name}", s.put)
	mux.HandleFunc("DELETE /{name}", s.remove)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.busy.RLock()
		defer s.busy.RUnlock()
		if s.over.Load() {
			panic(http.ErrAbortHandler)
		}
		mux.ServeHTTP(w, r)
	})
}

// mostHomes bounds the numbers of hosts.
const mostHomes = 4096

// target returns the object of a request, or answers that no such object can exist.
func (s *serving) target(w http.ResponseWriter, r *http.Request) (of *checkpoint.Directory, name string, ok bool) {
	name = r.PathValue("name")
	home, err := strconv.ParseUint(r.PathValue("home"), 10, 16)
	if err == nil && (home >= mostHomes || strconv.FormatUint(home, 10) != r.PathValue("home")) {
		err = fmt.Errorf("host %d: want less than %d", home, mostHomes)
	}
	if err == nil {
		err = checkName(name)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return nil, "", false
	}
	if r.Method == http.MethodPut {
		of, err = checkpoint.OpenDirectory(s.folder.path(int(home)))
	} else {
		of, err = s.folder.of(int(home))
	}
	if err != nil {
		fail(w, err)
	}
	return of, name, err == nil
}

func (s *serving) put(w http.ResponseWriter, r *http.Request) {
	of, name, ok := s.target(w, r)
	if !ok {
		return
	}
	to, err := of.Create(r.Context(), name)
	if err != nil {
		fail(w, err)
		return
	}
	sum := newSum()
	n, err := io.Copy(io.MultiWriter(to, sum), &paced{r.Body, http.NewResponseController(w), s.patience})
	if got := sumText(n, sum.Sum32()); err == nil && r.Trailer.Get(sumTrailer) != got {
		err = fmt.Errorf("the sum of %s is %.40q: want %s: the upload is not whole", name, r.Trailer.Get(sumTrailer), got)
	}
	if err == nil {
		err = to.Commit()
	} else {
		to.Abort()
	}
	if err != nil {
		fail(w, err)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

func newSum() hash.Hash32 { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }

// sumText is the trailer of an upload.
func sumText(bytes int64, sum uint32) string { return fmt.Sprintf("%d-%08x", bytes, sum) }

// paced reads the body of a request, and bounds the time of each read.
type paced struct {
	body     io.Reader
	conn     *http.ResponseController
	patience time.Duration
}

// Read implements io.Reader.
func (p *paced) Read(b []byte) (int, error) {
	if err := p.conn.SetReadDeadline(time.Now().Add(p.patience)); err != nil {
		return 0, err
	}
	n, err := p.body.Read(b)
	if err != nil {
		_ = p.conn.SetReadDeadline(time.Time{}) // the connection may be broken
	}
	return n, err
}

func (s *serving) get(w http.ResponseWriter, r *http.Request) {
	of, name, ok := s.target(w, r)
	if !ok {
		return
	}
	from, err := of.Open(r.Context(), name)
	if err != nil {
		fail(w, err)
		return
	}
	defer from.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(from, 0, from.Size()))
}

func (s *serving) list(w http.ResponseWriter, r *http.Request) {
	all, err := s.folder.list(r.Context())
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(all) // the client notices
}

func (s *serving) remove(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if err := checkName(name); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := s.folder.remove(r.Context(), name); err != nil {
		fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// fail answers with an error.
func fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code = http.StatusNotFound
	case errors.Is(err, fs.ErrExist):
		code = http.StatusConflict
	case errors.Is(err, syscall.ENOSPC):
		code = http.StatusInsufficientStorage
	}
	http.Error(w, err.Error(), code)
}
