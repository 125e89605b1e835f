package fagus

import (
	"context"
	"log/slog"
	"slices"

	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// Log returns a logger whose records say the rank and, in Phase mode, how many phases it has been
// through. They go to Config.Log or, if that is nil, to slog.Default. Like all methods of the Node
// it belongs to the goroutine that runs the program.
func (n *Node) Log() *slog.Logger { return n.log }

// ofRank adds to each record what the rank is doing, at the time of the record, outside of all
// groups.
type ofRank struct {
	slog.Handler
	node *Node
	// within are the calls of WithGroup and of what follows. Handle makes them: the record's
	// attributes of the rank come before them.
	within []func(slog.Handler) slog.Handler
}

// Handle passes a record on, with the rank first.
func (h ofRank) Handle(ctx context.Context, r slog.Record) error {
	attrs := []slog.Attr{slog.Int("rank", h.node.rank)}
	if h.node.mode == Phase && h.node.engine != nil {
		var s Stats
		h.node.engine.counts(&s)
		attrs = append(attrs, slog.Uint64("phases", s.Phases))
	}
	if h.within != nil {
		to := h.Handler.WithAttrs(attrs)
		for _, f := range h.within {
			to = f(to)
		}
		return to.Handle(ctx, r)
	}
	with := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	with.AddAttrs(attrs...)
	r.Attrs(func(a slog.Attr) bool {
		with.AddAttrs(a)
		return true
	})
	return h.Handler.Handle(ctx, with)
}

// WithAttrs returns a handler whose records have the attributes, too.
func (h ofRank) WithAttrs(attrs []slog.Attr) slog.Handler {
	if h.within == nil {
		return ofRank{Handler: h.Handler.WithAttrs(attrs), node: h.node}
	}
	return h.then(func(to slog.Handler) slog.Handler { return to.WithAttrs(attrs) })
}

// WithGroup returns a handler whose records have their own attributes in a group.
func (h ofRank) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return h.then(func(to slog.Handler) slog.Handler { return to.WithGroup(name) })
}

func (h ofRank) then(f func(slog.Handler) slog.Handler) slog.Handler {
	h.within = append(slices.Clip(h.within), f)
	return h
}

// callLog writes a debug record of each call, checkpoint and failure.
type callLog struct {
	node *Node
	log  *slog.Logger
}

// newCallLog returns nil if log takes no debug records: to build one costs more than a phase.
func newCallLog(ctx context.Context, n *Node, log *slog.Logger) *callLog {
	if !log.Enabled(ctx, slog.LevelDebug) {
		return nil
	}
	return &callLog{n, slog.New(ofRank{Handler: log.Handler(), node: n})}
}

func (l *callLog) kinds() []eventKind {
	return []eventKind{eventReturned, eventSaved, eventResumed, eventFailed}
}

func (l *callLog) on(e *event) error {
	switch e.kind {
	case eventSaved:
		l.log.Debug("checkpoint", "number", e.number, "err", e.err)
		return nil
	case eventResumed:
		l.log.Debug("resumed", "number", e.number)
		return nil
	case eventFailed:
		l.log.Debug("failed", "err", e.err)
		return nil
	}
	message, attrs := "collective call", []any{"call", e.call.String()}
	if e.call == rollcall.Release || e.call == rollcall.Acquire && l.node.mode != Phase {
		message = "call"
	}
	if e.set != nil {
		attrs = append(attrs, "set", e.set.String())
	}
	l.log.Debug(message, append(attrs, "now", l.node.host.Now().String())...)
	return nil
}
