package metrics

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// collector turns the counts of a Meter into metrics whenever it is asked.
type collector struct {
	meter *meter.Meter
	about About
	busy  chan struct{} // has an element for each request that collects
}

func newCollector(m *meter.Meter, about About) *collector {
	return &collector{meter: m, about: about, busy: make(chan struct{}, mostRequests)}
}

// ServeHTTP answers with the metrics of the ranks, of Go and of the process.
func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case c.busy <- struct{}{}:
	default:
		http.Error(w, "too many requests at a time: try again", http.StatusServiceUnavailable)
		return
	}
	defer func() { <-c.busy }()
	s := newScrape()
	addRun(s)
	c.collect(s)
	collectGo(s)
	collectProcess(s)
	w.Header().Set("Content-Type", contentType)
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		_ = s.writeTo(w) // the client may be gone
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	_ = s.writeTo(z)
	_ = z.Close()
}

// addRun adds the metrics of a run.
func addRun(s *scrape) {
	ofRank := func(name, kind, help string, labels ...string) {
		s.add("fagus_"+name, kind, help, append([]string{"rank"}, labels...)...)
	}
	s.add("fagus_run_info", gauge, "1; the labels describe the run. Durations are virtual if the clock is.", "program", "mode", "net", "clock")
	s.add("fagus_run_nodes", gauge, "Ranks of the run, in all processes.")
	s.add("fagus_run_restarts", gauge, "How often the launcher has started the job again.")
	ofRank("phases_total", counter, "Communication phases of the rank.")
	ofRank("posts_total", counter, "Remote stores, writes, pushes and pulls of the rank.")
	ofRank("posted_bytes_total", counter, "Bytes of all posts of the rank.")
	ofRank("arrived_bytes_total", counter, "Bytes of variables that the rank got from other ranks.")
	ofRank("call_duration_seconds", histogram, "Durations of the calls of the rank.", "call")
	ofRank("waits_total", counter, "Waits for other ranks: they held a variable, or were late to make their call.", "cause")
	ofRank("wait_seconds_total", counter, "Time of the waits for other ranks.", "cause")
	ofRank("requests_total", counter, "Requests of the rank for variables, by helper threads.")
	ofRank("takes_total", counter, "Variables that the rank has taken from others without a request.")
	ofRank("exclusive_tenures_total", counter, "Exclusive tenures whose writes were found in a way: declared, twin, kept or kernel.", "writes")
	ofRank("peer_sent_bytes_total", counter, "Bytes that the network has sent to a peer, with its headers.", "peer")
	ofRank("peer_received_bytes_total", counter, "Bytes that the network has received from a peer, with its headers.", "peer")
	ofRank("retransmits_total", counter, "Packets that the network has sent to peers again.")
	ofRank("checkpoint_number", gauge, "Number of the newest checkpoint that the rank has saved, or from which it has resumed.")
	ofRank("checkpoint_timestamp_seconds", gauge, "When the rank saved it, in Unix time.")
	ofRank("checkpoints_failed_total", counter, "Checkpoints that could not be made.")
	ofRank("steps_done", gauge, "Steps of the program's first loop of Steps or Rounds that are made.")
	ofRank("steps", gauge, "Steps that this loop has.")
	ofRank("progress_done", gauge, "How much of its work the rank has done, as its program says.")
	ofRank("progress_of", gauge, "How much work that is.")
	ofRank("rank_state", gauge, "1; the label says which call the rank is in, or computing, returned or failed.", "state")
	ofRank("rank_state_seconds", gauge, "How long the rank has been in its state, at least, by the wall clock.")
	ofRank("rank_waits_for", gauge, "1; the rank waits for the rank in the label, at most 8 of them.", "for")
}

// collect adds the samples of the run.
func (c *collector) collect(s *scrape) {
	s.put("fagus_run_restarts", float64(c.about.Restarts))
	run, ranks := c.meter.Ranks()
	if run.Board == nil {
		return
	}
	s.put("fagus_run_info", 1, c.about.Program, run.Mode, c.about.Net, clock(run))
	s.put("fagus_run_nodes", float64(run.Nodes))
	for _, r := range ranks {
		collectRank(s, run.Nodes, r)
	}
}

func clock(run meter.Run) string {
	if run.Virtual {
		return "virtual"
	}
	return "wall"
}

// collectRank adds the samples of a rank in a run of so many nodes.
func collectRank(s *scrape, nodes int, r meter.State) {
	rank := strconv.Itoa(r.Rank)
	put := func(name string, v float64, values ...string) {
		s.put("fagus_"+name, v, append([]string{rank}, values...)...)
	}
	n := &r.Counts
	put("phases_total", float64(n.Phases))
	put("posts_total", float64(n.Posts))
	put("posted_bytes_total", float64(n.Bytes))
	put("arrived_bytes_total", float64(n.Arrived))
	for why, w := range n.Waits {
		put("waits_total", float64(w.Times), meter.Cause(why).String())
		put("wait_seconds_total", w.Time.Seconds(), meter.Cause(why).String())
	}
	bounds := bounds()
	for call := range n.Calls {
		if total, most := cumulative(&n.Calls[call]); total > 0 {
			s.buckets("fagus_call_duration_seconds", bounds, most, total, n.Calls[call].Time.Seconds(), rank, rollcall.Call(call).String())
		}
	}
	if n.Requests+n.Takes > 0 {
		put("requests_total", float64(n.Requests))
		put("takes_total", float64(n.Takes))
	}
	for m, tenures := range n.Writes {
		if tenures > 0 {
			put("exclusive_tenures_total", float64(tenures), meter.Method(m).String())
		}
	}
	if r.Links != nil {
		resent := uint64(0)
		for _, l := range peers(nodes, r.Links) {
			put("peer_sent_bytes_total", float64(l.Sent), l.name)
			put("peer_received_bytes_total", float64(l.Received), l.name)
			resent += l.Resent
		}
		put("retransmits_total", float64(resent))
	}
	if n.Checkpoint > 0 {
		put("checkpoint_number", float64(n.Checkpoint))
	}
	if !n.Saved.IsZero() {
		put("checkpoint_timestamp_seconds", float64(n.Saved.UnixMilli())/1000)
	}
	put("checkpoints_failed_total", float64(n.Lost))
	if n.End > 0 {
		put("steps_done", float64(n.Steps))
		put("steps", float64(n.End))
	}
	if r.Does.Of > 0 {
		put("progress_done", float64(r.Does.Done))
		put("progress_of", float64(r.Does.Of))
	}
	put("rank_state", 1, State(r))
	put("rank_state_seconds", r.Does.For.Seconds())
	for _, of := range r.Does.Wait.Ranks {
		put("rank_waits_for", 1, fmt.Sprint(of))
	}
}

// mostPeers is the largest number of ranks of which each pair has series of its own.
const mostPeers = 64

// link is a Link with the name of its peer.
type link struct {
	dimmnet.Link
	name string
}

// peers returns the links of a rank in a run of so many nodes: one for all peers together if these
// are many.
func peers(nodes int, links []dimmnet.Link) (all []link) {
	if nodes <= mostPeers {
		for _, l := range links {
			all = append(all, link{l, fmt.Sprint(l.Peer)})
		}
		return all
	}
	sum := link{name: "all"}
	for _, l := range links {
		sum.Sent, sum.Received, sum.Resent = sum.Sent+l.Sent, sum.Received+l.Received, sum.Resent+l.Resent
	}
	return []link{sum}
}

// State returns the state of a rank in one word: the call that it is in, or computing, returned or
// failed.
func State(r meter.State) string {
	switch {
	case r.Counts.Failed || r.Does.Failed != "":
		return "failed"
	case r.Does.Returned:
		return "returned"
	case r.Does.Call == "":
		return "computing"
	}
	return r.Does.Call
}

// bounds returns the upper bounds of the buckets of a histogram but the last, in seconds.
func bounds() (all []float64) {
	for i := range meter.Buckets - 1 {
		all = append(all, meter.Bound(i).Seconds())
	}
	return all
}

// cumulative returns how many calls a histogram has, and how many lasted no longer than each bound.
func cumulative(h *meter.Histogram) (total uint64, most []uint64) {
	for _, n := range h.Buckets {
		total += n
		most = append(most, total)
	}
	return total, most
}
