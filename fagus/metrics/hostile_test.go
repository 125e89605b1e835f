package metrics_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
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

// TestSlowClients: clients that send nothing, or one byte now and then, keep others waiting no
// longer than the time for headers.
func TestSlowClients(t *testing.T) {
	t.Parallel() // it waits
	_, url := serve(t, metrics.About{})
	var slow []net.Conn
	for i := range 64 {
		conn := dial(t, url)
		if i%2 == 0 {
			if _, err := fmt.Fprint(conn, "GET /metrics HTTP/1.1\r\nX: "); err != nil {
				t.Fatal(err)
			}
		}
		slow = append(slow, conn)
	}
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
				for _, conn := range slow {
					_, _ = conn.Write([]byte("x")) // until the server closes
				}
			}
		}
	}()
	begun := time.Now()
	if code, text := get(t, url+"/healthz"); code != http.StatusOK {
		t.Errorf("/healthz says %d: %s", code, text)
	}
	if took := time.Since(begun); took > 9*time.Second {
		t.Errorf("the answer took %v", took)
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
