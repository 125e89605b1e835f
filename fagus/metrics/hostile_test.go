package metrics_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/metrics"
)

// TestHostile: requests that are wrong, large or slow are refused, and others are answered.
func TestHostile(t *testing.T) {
	m, url := serve(t, metrics.About{})
	if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Meter: m}, func(n *fagus.Node) error { return n.Barrier() }); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, request, want string }{
		{"another method", "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n", "405"},
		{"another path", "GET /debug/pprof/ HTTP/1.1\r\nHost: x\r\n\r\n", "404"},
		{"a path that leads up", "GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", "307 "},
		{"no HTTP", "\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", "400"},
		{"large headers", "GET /metrics HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n", "431"},
		{"a large path", "GET /" + strings.Repeat("x", 1<<20) + " HTTP/1.1\r\nHost: x\r\n\r\n", "431"},
	} {
		conn := dial(t, url)
		go func() { _, _ = conn.Write([]byte(c.request)) }() // the server may close first
		answer, err := bufio.NewReader(conn).ReadString('\n')
		if !strings.Contains(answer, c.want) {
			t.Errorf("%s: the answer is %q, %v, want %s", c.name, answer, err, c.want)
		}
	}
}

// TestSlowClients: clients that send nothing, or one byte now and then, or do not read the answer,
// keep a probe waiting no longer than it takes to close the connection of one of them.
func TestSlowClients(t *testing.T) {
	m, url := serve(t, metrics.About{Program: strings.Repeat("x", 1<<20)})
	if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Meter: m}, func(n *fagus.Node) error { return n.Barrier() }); err != nil {
		t.Fatal(err)
	}
	for name, sends := range map[string]string{
		"silent":              "",
		"slow":                "GET /metrics HTTP/1.1\r\nX: ",
		"no reader":           strings.Repeat("GET /ranks HTTP/1.1\r\nHost: x\r\n\r\n", 20),
		"no reader of probes": strings.Repeat("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			var slow []net.Conn
			for range 100 {
				conn := dial(t, url)
				_, _ = io.WriteString(conn, sends) // the server may have closed it
				slow = append(slow, conn)
			}
			for _, path := range []string{"/healthz", "/readyz"} {
				if code, text := get(t, url+path); code == 0 || text == "" {
					t.Errorf("%s says %d: %s", path, code, text)
				}
			}
			if sends != "" {
				return
			}
			// The time for headers has not ended them: the newest are still there.
			for i, conn := range slow {
				wait := 10 * time.Millisecond
				if i < 100-70 {
					wait = 10 * time.Second // until the server has closed it
				} else if i < 100-60 {
					continue // the probes have had connections, too
				}
				_ = conn.SetReadDeadline(time.Now().Add(wait)) // else Read fails
				_, err := conn.Read(make([]byte, 1))
				if closed := !errors.Is(err, os.ErrDeadlineExceeded); closed != (i < 100-70) {
					t.Errorf("connection %d of 100 is closed: %t (%v)", i, closed, err)
				}
			}
		})
	}
}

// TestLongRequests: while as many long requests as the server takes are under way, probes are
// answered, and so are long requests when one of the others has ended.
func TestLongRequests(t *testing.T) {
	_, url := serve(t, metrics.About{})
	codes := make(chan int)
	for range 30 {
		go func() {
			code, _ := get(t, url+"/profile?seconds=1")
			codes <- code
		}()
	}
	if code, text := get(t, url+"/healthz"); code != http.StatusOK {
		t.Errorf("/healthz says %d: %s", code, text)
	}
	got := make(map[int]int)
	for range 30 {
		got[<-codes]++
	}
	if got[http.StatusOK] != 1 || got[http.StatusConflict]+got[http.StatusServiceUnavailable] != 29 {
		t.Errorf("of 30 profiles at a time the codes are %v", got)
	}
	if code, text := get(t, url+"/metrics"); code != http.StatusOK {
		t.Errorf("/metrics says %d: %s", code, text)
	}
}

// TestClose: Close does not wait for a client.
func TestClose(t *testing.T) {
	s, err := metrics.Serve("127.0.0.1:0", meter.New(), metrics.About{})
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + s.Addr().String()
	if _, err := fmt.Fprint(dial(t, url), "GET /metrics HTTP/1.1\r\nX: "); err != nil {
		t.Fatal(err)
	}
	// When the server has answered this client, it has the other one.
	if code, text := get(t, url+"/healthz"); code != http.StatusOK {
		t.Errorf("/healthz says %d: %s", code, text)
	}
	begun := time.Now()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took > time.Second {
		t.Errorf("Close took %v", took)
	}
}

func dial(t *testing.T, url string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn
}
