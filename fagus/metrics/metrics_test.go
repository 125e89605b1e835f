package metrics_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/live/quic"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/metrics"
)

// serve serves a new Meter on loopback until the test ends.
func serve(t *testing.T, about metrics.About) (*meter.Meter, string) {
	t.Helper()
	m := meter.New()
	s, err := metrics.Serve("127.0.0.1:0", m, about)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return m, "http://" + s.Addr().String()
}

// get returns the status and the body of an answer.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	return answer.StatusCode, string(text)
}

// scraped are metrics as Prometheus reads them.
type scraped map[string]*dto.MetricFamily

func scrape(t *testing.T, url string) scraped {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer answer.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	all, err := parser.TextToMetricFamilies(answer.Body)
	if err != nil {
		t.Error(err)
	}
	return all
}

// of returns the metric with the values of labels, in the order of their names; nil: there is none.
func (s scraped) of(name string, values ...string) *dto.Metric {
	for _, m := range s["fagus_"+name].GetMetric() {
		var have []string
		byName := func(a, b *dto.LabelPair) int { return strings.Compare(a.GetName(), b.GetName()) }
		for _, l := range slices.SortedFunc(slices.Values(m.GetLabel()), byName) {
			have = append(have, l.GetValue())
		}
		if slices.Equal(have, values) {
			return m
		}
	}
	return nil
}

func (s scraped) count(name string, values ...string) float64 {
	return s.of(name, values...).GetCounter().GetValue()
}

// program is a program in which rank 1 waits for rank 0, which holds x for 4 ms. Both then stay in
// the run until hold is done.
func program(hold func(n *fagus.Node)) func(n *fagus.Node) error {
	turn := make(chan struct{})
	return func(n *fagus.Node) error {
		// Where time is real and no call waits for all ranks, a rank of a busy machine may be late.
		inTurn := n.Mode() == fagus.Threaded && !n.Virtual()
		x := fagus.NewGuarded[int64](n, "x", 100)
		if err := n.Barrier(); err != nil {
			return err
		}
		for range n.Steps(3) {
			if n.Rank() == 1 && inTurn {
				<-turn // rank 0 holds x
				turn <- struct{}{}
			} else if n.Rank() == 1 {
				wait(n, fagus.Millisecond)
			}
			err := n.Set(x.Write()).Do(func() {
				if n.Rank() == 0 && inTurn {
					turn <- struct{}{}
					<-turn // rank 1 is about to ask for x
				}
				for i := range x.Slice() {
					x.Slice()[i]++
				}
				wait(n, 4*fagus.Millisecond)
			})
			if err != nil {
				return err
			}
			if n.Rank() == 1 && inTurn {
				turn <- struct{}{}
			} else if inTurn {
				<-turn // rank 1 has had x
			}
		}
		if err := n.Update(); err != nil {
			return err
		}
		wait(n, 20*fagus.Millisecond)
		if err := n.Fence(); err != nil {
			return err
		}
		hold(n)
		return nil
	}
}

// wait lets time pass, virtual or not.
func wait(n *fagus.Node, d fagus.Time) {
	n.Spend(d)
	if !n.Virtual() {
		time.Sleep(time.Duration(d / fagus.Nanosecond))
	}
}

// networks are networks in one process.
func networks(t *testing.T) map[string]dimmnet.Network {
	simulated, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]dimmnet.Network{
		"dimmnet1": simulated, "inproc": inproc.New(inproc.Config{}), "shm": shm.New(shm.Config{}), "tcp": tcp.New(tcp.Config{}), "quic": quic.New(quic.Config{}),
	}
}

// TestScrape: what a library that is not ours reads agrees with the report of the run.
func TestScrape(t *testing.T) {
	for name, net := range networks(t) {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			m, url := serve(t, metrics.About{Program: "app", Net: name, Restarts: 2})
			if code, text := get(t, url+"/readyz"); code != http.StatusServiceUnavailable || text != "the ranks have not met\n" {
				t.Errorf("before the run, /readyz says %d: %s", code, text)
			}
			if got := scrape(t, url).of("run_restarts").GetGauge().GetValue(); got != 2 {
				t.Errorf("before the run there were %v restarts, want 2", got)
			}
			report, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Net: net, Mode: mode, Meter: m, Placement: fagus.PlacePrivate}, program(func(*fagus.Node) {}))
			if err != nil {
				t.Fatal(err)
			}
			got := scrape(t, url)
			clock := map[bool]string{true: "virtual", false: "wall"}[name == "dimmnet1"]
			if got.of("run_info", clock, mode.String(), name, "app") == nil {
				t.Errorf("%s, %v: there is no run_info with the clock %s: %v", name, mode, clock, got["fagus_run_info"])
			}
			for r, s := range report.Ranks {
				rank := fmt.Sprint(r)
				if mode == fagus.Phase {
					if phases := got.count("phases_total", rank); phases != float64(s.Phases) {
						t.Errorf("%s, rank %d: %v phases, want %d", name, r, phases, s.Phases)
					}
				}
				if bytes := got.count("posted_bytes_total", rank); bytes > float64(s.Messages().Bytes) || bytes == 0 {
					t.Errorf("%s, %v, rank %d: %v bytes posted, of %d", name, mode, r, bytes, s.Messages().Bytes)
				}
				if bytes := got.count("arrived_bytes_total", rank); bytes < 800 || bytes > 4*800 {
					t.Errorf("%s, %v, rank %d: %v bytes have arrived, want x, of 800, at most in each Acquire and Update", name, mode, r, bytes)
				}
				for call, want := range map[string]uint64{"Acquire": 3, "Barrier": 1, "Update": 1, "Release": 3} {
					h := got.of("call_duration_seconds", call, rank).GetHistogram()
					if h.GetSampleCount() != want {
						t.Errorf("%s, %v, rank %d: %d calls of %s, want %d", name, mode, r, h.GetSampleCount(), call, want)
					}
				}
				checkPeers(t, name, got, r)
				found := uint64(0)
				for _, m := range got["fagus_exclusive_tenures_total"].GetMetric() {
					if m.GetLabel()[0].GetValue() == rank {
						found += uint64(m.GetCounter().GetValue())
					}
				}
				if all := s.Writes.Declared + s.Writes.Twin + s.Writes.Kept + s.Writes.Kernel; found != all || all == 0 {
					t.Errorf("%s, %v, rank %d: the writes of %d exclusive tenures were found, want %d", name, mode, r, found, all)
				}
				if sent := got.count("requests_total", rank); sent != float64(s.Requests) {
					t.Errorf("%s, %v, rank %d: %v requests, want %d", name, mode, r, sent, s.Requests)
				}
				if steps := got.of("steps_done", rank).GetGauge().GetValue(); steps != 3 {
					t.Errorf("%s, %v, rank %d: %v steps are made, want 3", name, mode, r, steps)
				}
			}
			held, late := got.count("wait_seconds_total", "held", "1"), got.count("wait_seconds_total", "late", "1")
			if held < 0.003 {
				t.Errorf("%s, %v: rank 1 has waited for %v s for x, and %v s for calls", name, mode, held, late)
			}
			h := got.of("call_duration_seconds", "Acquire", "1").GetHistogram()
			if h.GetSampleSum() < held {
				t.Errorf("%s, %v: the calls of Acquire took %v s", name, mode, h.GetSampleSum())
			}
			if fence := got.of("call_duration_seconds", "Fence", "0").GetHistogram(); fence.GetSampleCount() != 1 || clock == "virtual" && fence.GetSampleSum() > 0.015 {
				t.Errorf("%s, %v: a Fence after 20 ms of computing is %v", name, mode, fence)
			}
			if code, text := get(t, url+"/readyz"); code != http.StatusServiceUnavailable || text != "the run has ended\n" {
				t.Errorf("after the run, /readyz says %d: %s", code, text)
			}
		}
	}
}

// checkPeers checks what a rank of two has exchanged with the other one.
func checkPeers(t *testing.T, net string, got scraped, rank int) {
	t.Helper()
	own, peer := fmt.Sprint(rank), fmt.Sprint(1-rank)
	sent, received := got.count("peer_sent_bytes_total", peer, own), got.count("peer_received_bytes_total", peer, own)
	resent := got.of("retransmits_total", own)
	switch net {
	case "tcp", "quic":
		// What arrives at the peer has been sent, and headers with it.
		if arrived := got.count("arrived_bytes_total", peer); sent <= arrived || received <= got.count("arrived_bytes_total", own) || resent == nil {
			t.Errorf("%s: rank %d has sent %v bytes and received %v, of which %v are of variables; it has sent %v again", net, rank, sent, received, arrived, resent)
		}
		// The end of a stream counts as a byte that has arrived.
		if more := got.count("peer_received_bytes_total", own, peer); net == "tcp" && sent+1 < more {
			t.Errorf("rank %d has sent %v bytes, and the other one has received %v", rank, sent, more)
		}
	default:
		if sent != 0 || received != 0 || resent != nil {
			t.Errorf("%s has no connections, and rank %d has sent %v bytes by one", net, rank, sent)
		}
	}
}

// TestStates: while a rank computes and another one waits for it, metrics, probes and the document
// say so.
func TestStates(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		m, url := serve(t, metrics.About{Program: "app", Net: "inproc"})
		looked := make(chan struct{})
		done := make(chan error)
		go func() {
			_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Mode: mode, Meter: m}, program(func(n *fagus.Node) {
				if n.Rank() == 1 {
					<-looked
				}
				_ = n.Barrier() // its error sticks
			}))
			done <- err
		}()
		var got scraped
		// Of the steps, rank 1 has made all when it computes.
		for got.of("steps_done", "1").GetGauge().GetValue() != 3 || got.of("rank_state", "0", "Barrier") == nil || got.of("rank_waits_for", "1", "0") == nil {
			time.Sleep(time.Millisecond)
			if got = scrape(t, url); t.Context().Err() != nil {
				t.Fatalf("%v mode: rank 0 does not wait for rank 1", mode)
			}
		}
		if got.of("rank_state", "1", "computing") == nil {
			t.Errorf("%v mode: rank 1 does not compute: %v", mode, got["fagus_rank_state"])
		}
		for _, path := range []string{"/healthz", "/readyz"} {
			if code, text := get(t, url+path); code != http.StatusOK {
				t.Errorf("%v mode: %s says %d: %s", mode, path, code, text)
			}
		}
		_, text := get(t, url+"/ranks")
		var d metrics.Document
		if err := errors.Join(json.Unmarshal([]byte(text), &d), d.Check()); err != nil {
			t.Fatal(err)
		}
		if len(d.Ranks) != 2 || d.Mode != mode.String() || d.Ranks[0].Does.Call != "Barrier" || d.Ranks[1].Does.Call != "" || d.Ranks[1].Does.Line == "" || d.Ranks[1].Counts.Steps != 3 {
			t.Errorf("%v mode: the document is %s", mode, text)
		}
		close(looked)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestUnhealthy: a run that has failed is not healthy.
func TestUnhealthy(t *testing.T) {
	m, url := serve(t, metrics.About{})
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Meter: m}, func(n *fagus.Node) error {
		if n.Rank() == 0 {
			return errors.New("a mistake")
		}
		return n.Barrier()
	})
	if err == nil {
		t.Fatal("the run has not failed")
	}
	if code, text := get(t, url+"/healthz"); code != http.StatusServiceUnavailable {
		t.Errorf("/healthz says %d: %s", code, text)
	}
	if got := scrape(t, url); got.of("rank_state", "0", "failed") == nil || got.of("rank_state", "1", "failed") == nil {
		t.Errorf("the ranks have not failed: %v", got["fagus_rank_state"])
	}
}
