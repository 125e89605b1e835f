package metrics

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/meter"
)

// The limits of a server.
const (
	mostConnections = 64
	mostLong        = 16 // requests other than probes, at a time
	mostRequests    = 4  // that collect metrics at a time
	headerBytes     = 8 << 10
	headerTime      = 5 * time.Second
	requestTime     = 10 * time.Second // to read a request
	answerTime      = 30 * time.Second
	idleTime        = 2 * time.Minute
	askTime         = time.Second           // for other processes to answer
	sameTime        = 50 * time.Millisecond // a Document stays the same
)

// About is what a server says of the run.
type About struct {
	Program  string
	Job      string // the launcher's name for the job; empty without one
	Net      string
	Restarts int // how often the launcher has started the job again
}

// Server serves metrics until Close.
type Server struct {
	listener net.Listener
	http     http.Server
	done     sync.WaitGroup
}

// Serve begins to serve what m counts at addr, an address like "127.0.0.1:9100"; port 0 selects a
// free one.
func Serve(addr string, m *meter.Meter, about About) (*Server, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	all := newGuests()
	s := &Server{listener: listener, http: http.Server{
		Handler:           handler(m, about, all),
		ConnState:         all.changed,
		ConnContext:       withConn,
		ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, WriteTimeout: answerTime, IdleTimeout: idleTime,
		MaxHeaderBytes: headerBytes,
		ErrorLog:       log.New(io.Discard, "", 0),
	}}
	m.ServedAt(reachable(listener.Addr()))
	s.done.Go(func() { _ = s.http.Serve(listener) })
	return s, nil
}

// Addr returns the address at which s listens.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Close closes the address and all connections, and does not wait for requests.
func (s *Server) Close() error {
	err := s.http.Close()
	s.done.Wait()
	return err
}

func handler(m *meter.Meter, about About, g *guests) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", probe(m.Healthy))
	mux.HandleFunc("GET /readyz", probe(m.Ready))
	mux.HandleFunc("GET "+processPath, itself(m, about))
	mux.Handle("GET /metrics", g.lengthy(newCollector(m, about)))
	mux.Handle("GET /ranks", g.lengthy(&documents{meter: m, about: about}))
	mux.Handle("GET /profile", g.lengthy(profile(m)))
	return mux
}

const processPath = "/process"

// probe answers 200 if ask returns nil.
func probe(ask func() error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if err := ask(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ok\n") // the client may be gone
	}
}

// Schema identifies a Document.
const Schema = "fagus.ranks/v1"

// Document says what the ranks of a job do, and have done.
type Document struct {
	Schema  string        `json:"schema"`
	Program string        `json:"program"`
	Job     string        `json:"job,omitempty"` // the launcher's name for it
	Mode    string        `json:"mode"`
	Net     string        `json:"net"`
	Clock   string        `json:"clock"`
	Nodes   int           `json:"nodes"`
	At      time.Time     `json:"at"`
	Ranks   []meter.State `json:"ranks"` // those that have answered
}

// Check returns an error unless d, which comes from outside, may be what a server sends.
func (d *Document) Check() error {
	if d.Schema != Schema {
		return fmt.Errorf("its schema is %.40q, want %q", d.Schema, Schema)
	}
	if d.Nodes < 1 || d.Nodes > dimmnet.MaxNodes {
		return fmt.Errorf("it has %d nodes, want 1 to %d", d.Nodes, dimmnet.MaxNodes)
	}
	before := -1
	for _, r := range d.Ranks {
		if r.Rank <= before || r.Rank >= d.Nodes {
			return fmt.Errorf("it has rank %d after rank %d, of %d", r.Rank, before, d.Nodes)
		}
		before = r.Rank
	}
	return nil
}

// documents serves Documents. However many clients ask, the ranks are asked once at a time.
type documents struct {
	meter *meter.Meter
	about About

	mu   sync.Mutex
	text []byte // of the last Document
	at   time.Time
}

// ServeHTTP answers with a Document, as JSON.
func (d *documents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := d.document(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // the client may be gone
}

func (d *documents) document(ctx context.Context) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Since(d.at) < sameTime {
		return d.text, nil
	}
	// Others may get the answer, too: it does not depend on this client.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTime)
	defer cancel()
	run, ranks := d.meter.Job(ctx)
	if run.Board == nil {
		return nil, meter.ErrEarly
	}
	text, err := json.Marshal(Document{
		Schema: Schema, Program: d.about.Program, Job: d.about.Job, Mode: run.Mode, Net: d.about.Net, Clock: clock(run), Nodes: run.Nodes,
		At: time.Now(), Ranks: ranks,
	})
	d.text, d.at = text, time.Now()
	return text, err
}
