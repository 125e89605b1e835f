package analysis

import (
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
)

// Cause says what a rank spends its time on.
type Cause uint8

// The causes.
const (
	Starting  Cause = iota // before the first call of the rank: input, or its process starts
	Computing              // in the program, between its calls
	Writing                // finding out what a tenure writes: Acquire copies, Release compares
	Late                   // waiting for a rank that makes its call later
	Held                   // waiting for a variable that another rank has
	Moving                 // data move
	Agreeing               // the rest of a call: the agreement, requests, the network
	Ending                 // serving other ranks after the program has returned

	Causes // the number of causes
)

// String returns the cause in words.
func (c Cause) String() string {
	return [...]string{"before the first call", "computing", "finding writes", "waiting for ranks", "waiting for variables", "moving data", "agreement, network", "after return"}[c]
}

// Name returns the name of the cause in documents.
func (c Cause) Name() string {
	return [...]string{"start", "compute", "writes", "late", "held", "move", "agree", "end"}[c]
}

// span is a part of the time of a rank that has one cause.
type span struct {
	from, to Time
	cause    Cause
	rank     int32 // of Late and Held: for whom it waits; or None
	id       int32 // of Held; or None
}

// split divides the time of a call by cause.
func (r *run) split(c *call) (spans []span) {
	switch c.Call {
	case rollcall.Release:
		return appendSpan(nil, span{c.From, c.To, Writing, trace.None, trace.None})
	case rollcall.End:
		return appendSpan(nil, span{c.From, c.To, Ending, trace.None, trace.None})
	}
	// Where two layers have a moment, the first one counts.
	layers := [][]span{{{c.moved.from, c.moved.to, Moving, trace.None, trace.None}}, {{c.copied.from, c.copied.to, Writing, trace.None, trace.None}}, r.held(c), r.late(c)}
	for t := c.From; t < c.To; {
		next := span{t, c.To, Agreeing, trace.None, trace.None}
		for l := range layers {
			for len(layers[l]) > 0 && layers[l][0].to <= t {
				layers[l] = layers[l][1:]
			}
			if len(layers[l]) == 0 {
				continue
			}
			if first := layers[l][0]; first.from > t {
				next.to = min(next.to, first.from)
			} else {
				first.from, first.to = t, min(next.to, first.to)
				next = first
				break
			}
		}
		spans = appendSpan(spans, next)
		t = next.to
	}
	return spans
}

// appendSpan appends a span, unless it takes no time.
func appendSpan(spans []span, s span) []span {
	if s.to <= s.from {
		return spans
	}
	if last := len(spans) - 1; last >= 0 && spans[last].cause == s.cause && spans[last].rank == s.rank && spans[last].id == s.id && spans[last].to == s.from {
		spans[last].to = s.to
		return spans
	}
	return append(spans, s)
}

// held returns the waits for variables. Where a tenure has no phases, a wait ends when the holder
// releases the variable: what follows is the hand-over.
func (r *run) held(c *call) (spans []span) {
	for i := range c.waits {
		w := &c.waits[i]
		if w.ID == trace.None {
			continue
		}
		of := span{w.From, w.To, Held, w.Rank, w.ID}
		if last, ok := r.freed(c, w.ID, true, w.To); ok && !r.phases {
			of.to, of.rank = min(of.to, max(last.end, w.From)), int32(r.ranks[last.rank].number)
		}
		spans = appendSpan(spans, of)
	}
	return spans
}

// late returns the waits for ranks that make their calls later.
func (r *run) late(c *call) (spans []span) {
	if c.Number == c.before {
		for _, w := range c.waits {
			if w.ID == trace.None {
				spans = appendSpan(spans, span{w.From, w.To, Late, w.Rank, trace.None})
			}
		}
		return spans
	}
	from := c.From
	for _, m := range r.met(c) {
		if m.at > from {
			spans = appendSpan(spans, span{from, min(m.at, c.To), Late, int32(r.ranks[m.last].number), trace.None})
			from = m.at
		}
	}
	return spans
}
