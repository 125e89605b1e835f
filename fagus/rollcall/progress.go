package rollcall

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// progress is what a rank's program has done, of what it has to do. Any goroutine may use it. A
// reader may see the two numbers of different reports: they are for people.
type progress struct {
	done, of atomic.Int64
	own      atomic.Bool // the program reports by itself
}

// store loads before it stores, which costs a tenth, and leaves out what changes less than a
// thousandth.
func (p *progress) store(done, of int64) {
	same := p.of.Load() == of
	if more := done - p.done.Load(); same && more >= 0 && more < of>>10 && done < of {
		return
	}
	if !same {
		p.of.Store(of)
	}
	p.done.Store(done)
}

// load returns values with 0 <= done <= of, and whether the program itself reports them.
func (p *progress) load() (done, of int64, own bool) {
	of = max(0, p.of.Load())
	return min(max(0, p.done.Load()), of), of, p.own.Load()
}

// Progress records that the rank's program has done so much of its work. From now on
// DefaultProgress has no effect. Any goroutine may call it.
func (m *Monitor) Progress(done, of int64) {
	if !m.progress.own.Load() {
		m.progress.own.Store(true)
	}
	m.progress.store(done, of)
}

// DefaultProgress is Progress for a program that does not call Progress itself.
func (m *Monitor) DefaultProgress(done, of int64) {
	if !m.progress.own.Load() {
		m.progress.store(done, of)
	}
}

// Progress says how far a run is: Done of Of.
//
// If all ranks that report progress count up to the same number, they count the same steps: Of is
// this number, and Done is their mean, rounded down. Otherwise each rank counts its own part of the
// work: Done and Of are sums.
type Progress struct {
	Nodes, Ranks int // ranks of the run, and how many of them report progress
	Done, Of     int64
	// Slowest is the rank that has the smallest part of its work done, the first of several.
	Slowest                int
	SlowestDone, SlowestOf int64
}

// Fraction returns how much of the work is done, from 0 to 1.
func (p Progress) Fraction() float64 { return fraction(p.Done, p.Of) }

// SlowestFraction returns how much of its work the slowest rank has done, from 0 to 1.
func (p Progress) SlowestFraction() float64 { return fraction(p.SlowestDone, p.SlowestOf) }

func fraction(done, of int64) float64 {
	if of <= 0 {
		return 0
	}
	return min(1, float64(done)/float64(of))
}

// reporting returns which ranks' progress counts: of those that report any, only those on which the
// program itself does, if there are such.
func (r Roll) reporting() func(Entry) bool {
	own := slices.ContainsFunc(r.Ranks, func(e Entry) bool { return e.Own && e.Of > 0 })
	return func(e Entry) bool { return e.Of > 0 && (e.Own || !own) }
}

// Progress returns how far the run is by what its ranks say. Of is 0 if none reports progress. If
// the program reports progress on any rank, what loops report for it on others does not count.
func (r Roll) Progress() Progress {
	p := Progress{Nodes: len(r.Ranks)}
	done, of, same := 0.0, 0.0, true // sums of int64 could overflow
	counts := r.reporting()
	for rank, e := range r.Ranks {
		if !counts(e) {
			continue
		}
		done, of, same = done+float64(e.Done), of+float64(e.Of), same && (p.Ranks == 0 || e.Of == p.SlowestOf)
		if p.Ranks++; p.Ranks == 1 || fraction(e.Done, e.Of) < p.SlowestFraction() {
			p.Slowest, p.SlowestDone, p.SlowestOf = rank, e.Done, e.Of
		}
	}
	if same && p.Ranks > 0 {
		done, of = done/float64(p.Ranks), float64(p.SlowestOf)
	}
	const most = 1 << 62
	p.Done, p.Of = int64(min(done, most)), int64(min(of, most))
	return p
}

// mostProgress is the number of groups of ranks whose progress a roll-call lists.
const mostProgress = 8

// progressLine returns the progress of ranks that report some, the slowest first, as a line; "" if
// none does.
func (r Roll) progressLine() string {
	type at struct{ done, of int64 }
	alike := make(map[at][]int)
	var order []at
	counts := r.reporting()
	for rank, e := range r.Ranks {
		if !counts(e) {
			continue
		}
		k := at{e.Done, e.Of}
		if alike[k] == nil {
			order = append(order, k)
		}
		alike[k] = append(alike[k], rank)
	}
	slices.SortStableFunc(order, func(a, b at) int { return cmp.Compare(fraction(a.done, a.of), fraction(b.done, b.of)) })
	var words []string
	for _, k := range order[:min(mostProgress, len(order))] {
		words = append(words, fmt.Sprintf("%s: %.0f %% (%d of %d)", ranksText(alike[k]), Percent(fraction(k.done, k.of)), k.done, k.of))
	}
	if len(words) == 0 {
		return ""
	}
	text := "progress: " + strings.Join(words, "; ")
	if len(order) > mostProgress {
		last := order[len(order)-1]
		text += fmt.Sprintf("; others up to %.0f %%", Percent(fraction(last.done, last.of)))
	}
	return text + "\n"
}

// Percent returns a fraction in whole percent, rounded down: 100 means that all is done.
func Percent(fraction float64) float64 { return float64(int(100 * fraction)) }

// watchProgress passes on how far the run is, until Close.
func (b *Board) watchProgress() {
	ticker := time.NewTicker(b.cfg.Every)
	defer ticker.Stop()
	for {
		select {
		case <-b.ctx.Done():
			return
		case <-ticker.C:
			if p := b.progress(min(b.cfg.Every, answerTime)).Progress(); p.Of > 0 && b.ctx.Err() == nil {
				b.cfg.Progress(p)
			}
		}
	}
}

// progress returns a Roll that has nothing but the progress of all ranks. Ranks in other processes
// have some time to answer. It makes no rank wait.
func (b *Board) progress(patience time.Duration) Roll {
	roll := Roll{Mode: b.about.Mode, Ranks: make([]Entry, len(b.monitors))}
	var away []dimmnet.Rank
	for r := range b.monitors {
		if b.about.Only != nil && r != *b.about.Only {
			away = append(away, dimmnet.Rank(r))
			continue
		}
		e := &roll.Ranks[r]
		e.Done, e.Of, e.Own = b.monitors[r].progress.load()
	}
	if b.about.Ask == nil || len(away) == 0 {
		return roll
	}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	for r, e := range b.about.Ask(ctx, away) {
		roll.Ranks[r].Done, roll.Ranks[r].Of, roll.Ranks[r].Own = min(max(0, e.Done), e.Of), e.Of, e.Own
	}
	return roll
}
