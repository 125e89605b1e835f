package metrics

import (
	"fmt"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// collector turns the counts of a Meter into metrics whenever it is asked.
type collector struct {
	meter *meter.Meter
	about About

	info, nodes, restarts                                              *prometheus.Desc
	phases, posts, bytes, arrived, calls, waits, waited                *prometheus.Desc
	requests, takes, writes, sent, received, resent                    *prometheus.Desc
	checkpoint, saved, lost, steps, end, state, stateSeconds, waitsFor *prometheus.Desc
}

func newCollector(m *meter.Meter, about About) *collector {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("fagus_"+name, help, labels, nil)
	}
	ofRank := func(name, help string, labels ...string) *prometheus.Desc {
		return desc(name, help, append([]string{"rank"}, labels...)...)
	}
	return &collector{
		meter: m, about: about,
		info:     desc("run_info", "1; the labels describe the run. Durations are virtual if the clock is.", "program", "mode", "net", "clock"),
		nodes:    desc("run_nodes", "Ranks of the run, in all processes."),
		restarts: desc("run_restarts", "How often the launcher has started the job again."),

		phases:  ofRank("phases_total", "Communication phases of the rank."),
		posts:   ofRank("posts_total", "Remote stores, writes, pushes and pulls of the rank."),
		bytes:   ofRank("posted_bytes_total", "Bytes of all posts of the rank."),
		arrived: ofRank("arrived_bytes_total", "Bytes of variables that the rank got from other ranks."),
		calls:   ofRank("call_duration_seconds", "Durations of the calls of the rank.", "call"),
		waits:   ofRank("waits_total", "Waits for other ranks: they held a variable, or were late to make their call.", "cause"),
		waited:  ofRank("wait_seconds_total", "Time of the waits for other ranks.", "cause"),

		requests: ofRank("requests_total", "Requests of the rank for variables, by helper threads."),
		takes:    ofRank("takes_total", "Variables that the rank has taken from others without a request."),
		writes:   ofRank("exclusive_tenures_total", "Exclusive tenures whose writes were found in a way: declared, twin, kept or kernel.", "writes"),
		sent:     ofRank("peer_sent_bytes_total", "Bytes that the network has sent to a peer, with its headers.", "peer"),
		received: ofRank("peer_received_bytes_total", "Bytes that the network has received from a peer, with its headers.", "peer"),
		resent:   ofRank("retransmits_total", "Packets that the network has sent to peers again."),

		checkpoint: ofRank("checkpoint_number", "Number of the newest checkpoint that the rank has saved, or from which it has resumed."),
		saved:      ofRank("checkpoint_timestamp_seconds", "When the rank saved it, in Unix time."),
		lost:       ofRank("checkpoints_failed_total", "Checkpoints that could not be made."),
		steps:      ofRank("steps_done", "Steps of the program's first loop of Steps or Rounds that are made."),
		end:        ofRank("steps", "Steps that this loop has."),

		state:        ofRank("rank_state", "1; the label says which call the rank is in, or computing, returned or failed.", "state"),
		stateSeconds: ofRank("rank_state_seconds", "How long the rank has been in its state, at least, by the wall clock."),
		waitsFor:     ofRank("rank_waits_for", "1; the rank waits for the rank in the label, at most 8 of them.", "for"),
	}
}

// Describe sends no descriptions: which metrics there are depends on the run.
func (c *collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the metrics.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	gauge(c.restarts, float64(c.about.Restarts))
	run, ranks := c.meter.Ranks()
	if run.Board == nil {
		return
	}
	gauge(c.info, 1, c.about.Program, run.Mode, c.about.Net, clock(run))
	gauge(c.nodes, float64(run.Nodes))
	for _, r := range ranks {
		c.rank(to, run.Nodes, r)
	}
}

func clock(run meter.Run) string {
	if run.Virtual {
		return "virtual"
	}
	return "wall"
}

func (c *collector) rank(to chan<- prometheus.Metric, nodes int, r meter.State) {
	rank := strconv.Itoa(r.Rank)
	send := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, kind, v, append([]string{rank}, labels...)...)
	}
	count := func(d *prometheus.Desc, v float64, labels ...string) { send(d, prometheus.CounterValue, v, labels...) }
	gauge := func(d *prometheus.Desc, v float64, labels ...string) { send(d, prometheus.GaugeValue, v, labels...) }
	n := &r.Counts
	count(c.phases, float64(n.Phases))
	count(c.posts, float64(n.Posts))
	count(c.bytes, float64(n.Bytes))
	count(c.arrived, float64(n.Arrived))
	for why, w := range n.Waits {
		count(c.waits, float64(w.Times), meter.Cause(why).String())
		count(c.waited, w.Time.Seconds(), meter.Cause(why).String())
	}
	for call := range n.Calls {
		if total, buckets := cumulative(&n.Calls[call]); total > 0 {
			to <- prometheus.MustNewConstHistogram(c.calls, total, n.Calls[call].Time.Seconds(), buckets, rank, rollcall.Call(call).String())
		}
	}
	if n.Requests+n.Takes > 0 {
		count(c.requests, float64(n.Requests))
		count(c.takes, float64(n.Takes))
	}
	for m, tenures := range n.Writes {
		if tenures > 0 {
			count(c.writes, float64(tenures), meter.Method(m).String())
		}
	}
	if r.Links != nil {
		resent := uint64(0)
		for _, l := range peers(nodes, r.Links) {
			count(c.sent, float64(l.Sent), l.name)
			count(c.received, float64(l.Received), l.name)
			resent += l.Resent
		}
		count(c.resent, float64(resent))
	}
	if n.Checkpoint > 0 {
		gauge(c.checkpoint, float64(n.Checkpoint))
	}
	if !n.Saved.IsZero() {
		gauge(c.saved, float64(n.Saved.UnixMilli())/1000)
	}
	count(c.lost, float64(n.Lost))
	if n.End > 0 {
		gauge(c.steps, float64(n.Steps))
		gauge(c.end, float64(n.End))
	}
	gauge(c.state, 1, State(r))
	gauge(c.stateSeconds, r.Does.For.Seconds())
	for _, of := range r.Does.Wait.Ranks {
		gauge(c.waitsFor, 1, fmt.Sprint(of))
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

// cumulative returns how many calls a histogram has, and how many lasted no longer than each bound.
func cumulative(h *meter.Histogram) (total uint64, buckets map[float64]uint64) {
	buckets = make(map[float64]uint64, meter.Buckets-1)
	for i, n := range h.Buckets {
		if total += n; i < meter.Buckets-1 {
			buckets[meter.Bound(i).Seconds()] = total
		}
	}
	return total, buckets
}
