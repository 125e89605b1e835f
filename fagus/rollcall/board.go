package rollcall

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// DefaultAfter is how long a call waits before a roll is made.
const DefaultAfter = 30 * time.Second

// longestTick is the time between two looks at the ranks.
const longestTick = 250 * time.Millisecond

// Config says when rolls are made, and who gets them. The zero value is useful.
type Config struct {
	// After is how long a rank waits in a call, by the machine's clock, until a roll is
	// made; the next comes when it has waited twice as long. 0 stands for DefaultAfter, less
	// for never. On a simulated network, where a rank may wait for long while others
	// simulate much, no rank must have entered or left a call meanwhile.
	After time.Duration
	// Ask asks for a roll at once: see signal.Notify. It may be nil.
	Ask <-chan os.Signal
	// To gets the rolls, one at a time, by a goroutine of its own. nil stands for one
	// that prints them to standard error.
	To func(Roll)
}

// About is the run that a board is for.
type About struct {
	Nodes   int
	Mode    string // of its engine
	Virtual bool   // its clock is
	// Only is the one rank that is in this process; nil: all are.
	Only *int
}

// Board has a seat for every rank of a run.
type Board struct {
	cfg   Config
	about About
	seats []Seat

	stop chan struct{}
	done sync.WaitGroup

	mu    sync.Mutex
	ranks []seen // by rank
}

// seen is what the last look at a rank has found.
type seen struct {
	moves uint64
	since time.Time     // it has not moved
	due   time.Duration // after which its wait is told
}

// Open makes the seats and begins to watch them, until Close.
func Open(cfg Config, about About) *Board {
	if cfg.After == 0 {
		cfg.After = DefaultAfter
	}
	if cfg.To == nil {
		cfg.To = printRoll
	}
	b := &Board{cfg: cfg, about: about, seats: make([]Seat, about.Nodes), ranks: make([]seen, about.Nodes), stop: make(chan struct{})}
	now := time.Now()
	for r := range b.seats {
		b.seats[r].label = fmt.Sprintf("%d of %p", r, b)
		b.ranks[r] = seen{since: now, due: cfg.After}
	}
	if cfg.After > 0 || cfg.Ask != nil {
		b.done.Go(b.watch)
	}
	return b
}

func printRoll(r Roll) {
	fmt.Fprint(os.Stderr, "fagus: ", r)
}

// Seat is that of a rank.
func (b *Board) Seat(rank int) *Seat { return &b.seats[rank] }

// Close ends the watching. When it returns, Config.To is not running.
func (b *Board) Close() {
	close(b.stop)
	b.done.Wait()
}

// watch looks at the ranks until Close.
func (b *Board) watch() {
	tick := longestTick
	if b.cfg.After > 0 {
		tick = min(tick, max(b.cfg.After/8, time.Millisecond))
	}
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-b.stop:
			return
		case _, more := <-b.cfg.Ask:
			if !more {
				b.cfg.Ask = nil
				continue
			}
			b.cfg.To(b.Roll())
		case now := <-ticker.C:
			if b.look(now) && b.cfg.After > 0 {
				b.cfg.To(b.Roll())
			}
		}
	}
}

// look sees who has moved, and says whether a wait is to be told.
func (b *Board) look(now time.Time) (due bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	quiet, longest := time.Duration(1<<63-1), time.Duration(0) // since the last move of any rank; the longest wait
	for r := range b.seats {
		s, known := &b.seats[r], &b.ranks[r]
		s.mu.Lock()
		moves, waits := s.moves, s.call != ""
		s.mu.Unlock()
		if moves != known.moves {
			*known = seen{moves, now, b.cfg.After}
		}
		still := now.Sub(known.since)
		quiet = min(quiet, still)
		if waits {
			longest = max(longest, still)
			due = due || still >= known.due
		}
	}
	due = due && (!b.about.Virtual || quiet >= b.cfg.After)
	if due {
		for r := range b.ranks { // those that began to wait later are not told by a roll of their own
			b.ranks[r].due = 2 * longest
		}
	}
	return due
}

// Roll says what all ranks do now.
func (b *Board) Roll() Roll {
	roll := Roll{Mode: b.about.Mode, Ranks: make([]Entry, len(b.seats))}
	lines := b.lines()
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	for r := range b.seats {
		if b.about.Only != nil && r != *b.about.Only {
			roll.Ranks[r].Away = true
			continue
		}
		e, moves, at := b.seats[r].entry(now)
		if moves == b.ranks[r].moves {
			e.For = max(0, at.Sub(b.ranks[r].since))
		}
		if e.Line == "" {
			e.Line = lines[r]
		}
		roll.Ranks[r] = e
	}
	return roll
}
