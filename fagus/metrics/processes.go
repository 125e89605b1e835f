package metrics

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/meter"
)

// Process is a process of this host that serves metrics, as it says of itself.
type Process struct {
	Program string `json:"program"`
	Job     string `json:"job"` // the launcher's name for it; empty without a launcher
	PID     int    `json:"pid"`
	Parent  int    `json:"parent"`  // the process that has started it
	Address string `json:"address"` // of its metrics
	Ranks   []int  `json:"ranks"`   // that run in it; none before they have met
	// Socket is where it serves the same as at Address, to processes of the same user.
	Socket string `json:"-"`
}

const (
	mostProcesses = 4096
	mostAnswer    = 1 << 20         // bytes of what a process says of itself
	processTime   = 2 * time.Second // for all of them to answer
	youngest      = time.Minute     // an older socket at which nobody listens is removed
)

// ByName lets processes of the same user on this host find s by the name of its program or job
// (Processes), until it is closed. They connect by a socket in the user's folder for caches.
func (s *Server) ByName() error {
	path, err := socketOf(os.Getpid())
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	// A process with the same number that was killed may have left its socket.
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("metrics: %w", err)
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	s.done.Go(func() { _ = s.http.Serve(listener) })
	return nil
}

// socketOf returns the path of a process's socket. Other hosts may share the folder above it.
func socketOf(pid int) (string, error) {
	folder, err := os.UserCacheDir()
	host, unknown := os.Hostname()
	if err = cmp.Or(err, unknown); err != nil {
		return "", err
	}
	return filepath.Join(folder, "fagus-metrics", host, strconv.Itoa(pid)), nil
}

// itself answers with the Process.
func itself(m *meter.Meter, about About) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		p := Process{Program: about.Program, Job: about.Job, PID: os.Getpid(), Parent: os.Getppid(), Address: m.Address()}
		_, ranks := m.Ranks()
		for _, r := range ranks {
			p.Ranks = append(p.Ranks, r.Rank)
		}
		text, err := json.Marshal(p)
		if err != nil {
			panic(fmt.Sprintf("metrics: encoding a process: %v", err)) // numbers and strings
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text) // the client may be gone
	}
}

// Processes returns the processes of this user on this host that serve metrics, by number.
func Processes(ctx context.Context) ([]Process, error) {
	path, err := socketOf(0)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	folder := filepath.Dir(path)
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, processTime)
	defer cancel()
	found := make([]Process, min(len(entries), mostProcesses))
	var asked sync.WaitGroup
	for i, e := range entries[:len(found)] {
		asked.Go(func() {
			path := filepath.Join(folder, e.Name())
			p, err := ask(ctx, path)
			if err == nil {
				found[i] = p
			} else if info, unknown := e.Info(); errors.Is(err, syscall.ECONNREFUSED) && unknown == nil && time.Since(info.ModTime()) > youngest {
				_ = os.Remove(path) // somebody else may have done so
			}
		})
	}
	asked.Wait()
	found = slices.DeleteFunc(found, func(p Process) bool { return p.PID == 0 })
	slices.SortFunc(found, func(a, b Process) int { return cmp.Compare(a.PID, b.PID) })
	return found, nil
}

// Client returns a client of one process, at its socket or, if that is "", at the address of a
// request: by no proxy of the environment, and of nobody to whom the process redirects.
func Client(socket string) *http.Client {
	var d net.Dialer
	transport := &http.Transport{DisableKeepAlives: true, DialContext: d.DialContext}
	if socket != "" {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) { return d.DialContext(ctx, "unix", socket) }
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ask returns what the process at a socket says of itself.
func ask(ctx context.Context, path string) (p Process, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://process"+processPath, nil)
	if err != nil {
		return p, err
	}
	answer, err := Client(path).Do(r)
	if err != nil {
		return p, err
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(io.LimitReader(answer.Body, mostAnswer)).Decode(&p); err != nil {
		return p, err
	}
	p.Socket = path
	wrong := func(r int) bool { return r < 0 || r >= dimmnet.MaxNodes }
	if p.PID < 1 || len(p.Ranks) > dimmnet.MaxNodes || slices.ContainsFunc(p.Ranks, wrong) {
		return p, fmt.Errorf("metrics: %s: process %d has ranks that cannot be", path, p.PID)
	}
	return p, nil
}

// reachable returns the address of a listener for other hosts.
func reachable(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return addr.String()
	}
	host, err := os.Hostname()
	if err != nil {
		return addr.String()
	}
	return net.JoinHostPort(host, strconv.Itoa(tcp.Port))
}
