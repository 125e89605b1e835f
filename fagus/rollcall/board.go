package rollcall

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// DefaultAfter is the default of Config.After.
const DefaultAfter = 30 * time.Second

// mostAsked is the number of ranks in other processes after which a roll-call asks no more.
const mostAsked = 32

// Other processes have answerTime to answer, and less when the run has failed: the launcher waits.
const (
	answerTime  = time.Second
	failureTime = 200 * time.Millisecond
)

// longestTick is the longest time between two checks of the ranks.
const longestTick = 250 * time.Millisecond

// Config says when a roll-call is made, and where its result, a Roll, goes. With the zero value, a
// Roll is printed to standard error when a rank has waited for DefaultAfter.
type Config struct {
	// After is how long a rank must wait in a call until a roll-call is made, by the machine's
	// clock. The next roll-call follows when the rank has waited twice as long. 0 selects
	// DefaultAfter; a negative value disables these roll-calls. On a simulated network a rank may
	// wait for long while others do much simulated work, so there a roll-call is made only if no
	// rank has entered or left a call for that time.
	After time.Duration
	// Ask requests a roll-call at once for each value received. It is a channel of signals
	// so that it can be passed to signal.Notify. It may be nil.
	Ask <-chan os.Signal
	// To receives each Roll. A single goroutine calls it, so a slow To delays the next roll-call
	// but not the run. A nil To prints each Roll to standard error.
	To func(Roll)
	// Failed gets the error that the program of a rank in this process returned, or its panic,
	// unless the run had already failed or ended. The rank's goroutine calls it at once: other
	// ranks may notice the failure much later. It may be nil.
	Failed func(error)
	// Progress receives how far the run is, at every interval of Every while ranks report progress.
	// A single goroutine calls it, which is none of a rank: ranks that compute are seen, and none
	// waits for it. Where ranks are processes it asks the others, as a roll-call does. It may be
	// nil; Every must be more than 0 otherwise.
	Progress func(Progress)
	Every    time.Duration
}

// About describes the run that a Board watches.
type About struct {
	Nodes   int    // number of ranks
	Mode    string // name of the engine's mode
	Virtual bool   // the run's clock is virtual
	// Only is the rank that runs in this process, if the others run in other processes.
	// It is nil if all ranks run in this process.
	Only *int
	// Ask returns what ranks in other processes do, as far as they answer before ctx is done. It is
	// nil if all ranks run in this process, or if ranks cannot ask.
	Ask func(ctx context.Context, of []dimmnet.Rank) map[int]Entry
	// Stuck is called when two roll-calls have found that every rank waits for others (Roll.Stuck).
	// It may be nil.
	Stuck func()
}

// Board holds the Monitors of all ranks of a run, and makes roll-calls.
type Board struct {
	cfg      Config
	about    About
	monitors []Monitor // by rank

	ctx  context.Context // done at Close
	stop context.CancelFunc
	done sync.WaitGroup

	mu    sync.Mutex
	ranks []observation // by rank
	ended time.Time     // when End was called; else zero
	why   string        // of End
}

// observation is the result of the last check of a rank.
type observation struct {
	state uint64        // of the Monitor at the last check
	since time.Time     // when this state was first seen
	due   time.Duration // how long the state may stay the same until a roll-call is made
}

// Open makes a Board and starts its checks, which end at Close.
func Open(cfg Config, about About) *Board {
	if cfg.After == 0 {
		cfg.After = DefaultAfter
	}
	if cfg.To == nil {
		cfg.To = printRoll
	}
	b := &Board{
		cfg:      cfg,
		about:    about,
		monitors: make([]Monitor, about.Nodes),
		ranks:    make([]observation, about.Nodes),
	}
	b.ctx, b.stop = context.WithCancel(context.Background())
	now := time.Now()
	for r := range b.monitors {
		b.monitors[r].label, b.monitors[r].told = fmt.Sprintf("%d of %p", r, b), cfg.Failed
		b.ranks[r] = observation{since: now, due: cfg.After}
	}
	if cfg.After > 0 || cfg.Ask != nil {
		b.done.Go(b.watch)
	}
	if cfg.Progress != nil {
		b.done.Go(b.watchProgress)
	}
	return b
}

func printRoll(r Roll) { fmt.Fprint(os.Stderr, "fagus: ", r) }

// Monitor returns the Monitor of a rank.
func (b *Board) Monitor(rank int) *Monitor { return &b.monitors[rank] }

// Close ends the checks. When it returns, Config.To is not running and will not be called.
func (b *Board) Close() {
	b.stop()
	b.done.Wait()
}

// End records that the run is ended from outside, and why. Ranks that compute have not noticed it
// yet. From now on a roll-call is made only if Config.Ask requests it, and durations last until
// now.
func (b *Board) End(why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended.IsZero() {
		b.ended, b.why = time.Now(), why
	}
}

func (b *Board) watch() {
	tick := longestTick
	if b.cfg.After > 0 {
		tick = min(tick, max(b.cfg.After/8, time.Millisecond))
	}
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-b.ctx.Done():
			return
		case _, more := <-b.cfg.Ask:
			if !more {
				b.cfg.Ask = nil
				continue
			}
			b.cfg.To(b.Roll())
		case now := <-ticker.C:
			if b.check(now) && b.cfg.After > 0 {
				roll := b.askLate(b.Roll(), answerTime)
				b.cfg.To(roll)
				b.judge(roll)
			}
		}
	}
}

// judge calls About.Stuck if all ranks wait for each other now, as they did in a roll-call before.
// No rank has made a call between the two, so all of them were waiting at the end of the first one.
func (b *Board) judge(before Roll) {
	if b.about.Stuck == nil || !before.Stuck() {
		return
	}
	select {
	case <-b.ctx.Done():
		return
	case <-time.After(answerTime): // who has been woken returns from its call
	}
	now := b.askLate(b.Roll(), answerTime)
	same := func(x, y Entry) bool { return x.Calls == y.Calls }
	if now.Stuck() && slices.EqualFunc(before.Ranks, now.Ranks, same) {
		b.about.Stuck()
	}
}

// Last is Roll for a run that has failed: it asks other processes, too.
func (b *Board) Last() Roll { return b.askLate(b.Roll(), failureTime) }

// askLate adds the ranks in other processes for which ranks of the roll wait, then those for which
// these wait, and so on.
func (b *Board) askLate(roll Roll, patience time.Duration) Roll {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	for asked := 0; b.about.Ask != nil && asked < mostAsked; {
		var of []dimmnet.Rank
		want := func(r dimmnet.Rank) {
			if int(r) < len(roll.Ranks) && roll.Ranks[r].Away && !slices.Contains(of, r) && len(of) < mostAsked {
				of = append(of, r)
			}
		}
		for _, e := range roll.Ranks {
			for _, r := range e.Wait.Ranks {
				want(r)
			}
			for r := 0; e.Wait.Change && r < len(roll.Ranks); r++ {
				want(dimmnet.Rank(r))
			}
		}
		found := b.about.Ask(ctx, of)
		if len(found) == 0 {
			break
		}
		asked += len(found)
		for r, e := range found {
			roll.Ranks[r] = e
		}
	}
	return roll
}

// check notes which ranks have moved, and reports whether a roll-call is due.
func (b *Board) check(now time.Time) (due bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	quiet := time.Duration(1<<63 - 1) // time since the last move of any rank
	longest := time.Duration(0)       // longest time that any rank waits
	for r := range b.monitors {
		known := &b.ranks[r]
		state, waits := b.monitors[r].poll()
		if state != known.state {
			*known = observation{state, now, b.cfg.After}
		}
		still := now.Sub(known.since)
		quiet = min(quiet, still)
		if waits {
			longest = max(longest, still)
			due = due || still >= known.due
		}
	}
	due = due && b.ended.IsZero() && (!b.about.Virtual || quiet >= b.cfg.After)
	if due {
		// Postpone all ranks: no rank that began to wait later may cause a roll-call of its own.
		for r := range b.ranks {
			b.ranks[r].due = 2 * longest
		}
	}
	return due
}

// Here returns the number of ranks in this process.
func (b *Board) Here() int {
	if b.about.Only != nil {
		return 1
	}
	return b.about.Nodes
}

// Roll makes a roll-call: it returns what all ranks do now.
func (b *Board) Roll() Roll { return b.roll(b.lines()) }

// Brief is Roll without most source lines, which take the longest to find.
func (b *Board) Brief() Roll { return b.roll(make([]string, len(b.monitors))) }

func (b *Board) roll(lines []string) Roll {
	roll := Roll{Mode: b.about.Mode, Ranks: make([]Entry, len(b.monitors))}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if !b.ended.IsZero() {
		now, roll.Ended = b.ended, b.why
	}
	for r := range b.monitors {
		if b.about.Only != nil && r != *b.about.Only {
			roll.Ranks[r].Away = true
			continue
		}
		e, state, at := b.monitors[r].entry(now)
		if state == b.ranks[r].state {
			e.For = max(0, at.Sub(b.ranks[r].since))
		}
		if e.Line == "" {
			e.Line = lines[r]
		}
		roll.Ranks[r] = e
	}
	return roll
}
