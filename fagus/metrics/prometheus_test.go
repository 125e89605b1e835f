package metrics_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/metrics"
)

// TestPrometheus: a real Prometheus scrapes a run, and answers queries about it.
func TestPrometheus(t *testing.T) {
	server, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("there is no prometheus in PATH (Debian: apt-get install prometheus)")
	}
	m, target := serve(t, metrics.About{Program: "app", Net: "inproc"})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := make(chan error)
	looked := make(chan struct{})
	go func() {
		_, err := fagus.Run(ctx, fagus.Config{Nodes: 2, Meter: m}, func(n *fagus.Node) error {
			for {
				over := uint64(0)
				if n.Rank() == 1 {
					time.Sleep(time.Millisecond)
					select {
					case <-looked:
						over = 1
					default:
					}
				}
				if over, err := fagus.Reduce(n, over, func(a, b uint64) uint64 { return max(a, b) }); over > 0 || err != nil {
					return err
				}
			}
		})
		done <- err
	}()
	address := startPrometheus(t, ctx, server, strings.TrimPrefix(target, "http://"))
	for _, query := range []string{
		`rate(fagus_phases_total{rank="0"}[5s]) > 10`,
		`rate(fagus_wait_seconds_total{rank="0",cause="late"}[5s]) > 0.2`,
		`histogram_quantile(0.5, rate(fagus_call_duration_seconds_bucket{rank="0",call="Reduce"}[5s])) > 0.0002`,
		`fagus_run_info{program="app",mode="phase",net="inproc",clock="wall"} == 1`,
		`count(fagus_rank_state) >= 2`,
		`up == 1`,
	} {
		for found := 0; found == 0; time.Sleep(100 * time.Millisecond) {
			if found = results(t, ctx, address, query); ctx.Err() != nil {
				t.Fatalf("the query %s finds nothing", query)
			}
		}
	}
	close(looked)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// startPrometheus starts a Prometheus that scrapes a target, and returns its address.
func startPrometheus(t *testing.T, ctx context.Context, program, target string) string {
	t.Helper()
	folder := t.TempDir()
	config := filepath.Join(folder, "prometheus.yml")
	text := fmt.Sprintf("scrape_configs:\n- job_name: fagus\n  scrape_interval: 200ms\n  scrape_timeout: 200ms\n  static_configs:\n  - targets: [%q]\n", target)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	address := free(t)
	cmd := exec.CommandContext(ctx, program, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(folder, "data"), "--web.listen-address="+address)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Cancel() // it may have ended
		_ = cmd.Wait()   // by the signal
		if t.Failed() {
			t.Log(out.String())
		}
	})
	return address
}

// results returns how many results a query has; 0, too, while Prometheus does not answer.
func results(t *testing.T, ctx context.Context, address, query string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/api/v1/query?query="+url.QueryEscape(query), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	var found struct {
		Error string
		Data  struct{ Result []any }
	}
	if err := json.NewDecoder(answer.Body).Decode(&found); err == nil && found.Error != "" {
		t.Fatalf("%s: %s", query, found.Error)
	}
	return len(found.Data.Result)
}

// free returns an address with a free port.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestPromtool: the linter of Prometheus has no complaints.
func TestPromtool(t *testing.T) {
	tool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("there is no promtool in PATH (Debian: apt-get install prometheus)")
	}
	m, target := serve(t, metrics.About{})
	if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Meter: m}, program(func(*fagus.Node) {})); err != nil {
		t.Fatal(err)
	}
	_, text := get(t, target+"/metrics")
	cmd := exec.CommandContext(t.Context(), tool, "check", "metrics")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
