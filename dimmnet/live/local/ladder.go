package local

import "time"

// Ladder decides how a thread waits: it polls for a while, and then sleeps in the kernel until what
// it waits for wakes it. The networks say only what they wait for, and ask the ladder how.
//
// Waking a sleeper on an idle processor takes 20 to 70 us, so a thread that has its processor to
// itself polls for about as long: then a wait takes at most twice as long as with the better of the
// two. A processor that other programs want is another matter. Each moment of polling is taken from
// the thread's share, which it needs for its work; and a thread that yields gives the others a time
// slice each, but not its own share back. A thread that sleeps keeps its share, and takes the
// processor away from the others when it is woken. So there it polls for about as long as an answer
// takes from a rank that is running, never yields, and sleeps (docs/internals/decisions, 0079).
//
// A thread learns of the others by what it loses: when two readings of the clock are far apart
// between which it has only polled or yielded, another program has had the processor. A thread that
// seldom polls seldom notices, and loses little by it.
type Ladder struct {
	Spin    time.Duration // how long to poll where every thread has a processor
	Crowded time.Duration // how long to poll and yield where threads outnumber processors
	Every   int           // the number of polls between two readings of the clock

	polls int           // number of polls since the wait began
	timed bool          // begun and last are of this wait
	begun time.Duration // the first reading of the clock
	last  time.Duration // the last reading of the clock
	busy  time.Duration // until then other programs are taken to want the processor
}

// Rung is how a thread goes on waiting.
type Rung uint8

// The rungs of a ladder.
const (
	Poll  Rung = iota
	Yield      // let other threads of the job have the processor, and poll
	Sleep      // until something wakes the thread
)

// DefaultSpin is the time in which a sleeper wakes up, with a reserve for slow virtual machines.
const DefaultSpin = 100 * time.Microsecond

const (
	// busySpin is the time in which a rank that is running answers, also over a socket.
	busySpin = 20 * time.Microsecond
	// leastLost is the least time between two readings of the clock that shows another program:
	// interrupts, and the threads of Go's runtime, take less.
	leastLost = 200 * time.Microsecond
	// The thread remembers a loss for busyFactor times as long as it took. So yields that give the
	// processor to another program take at most 3 % of the time.
	busyFactor = 32
	mostBusy   = 10 * time.Second
)

// Progress says that the thread has not waited in vain: its next poll begins another wait.
func (l *Ladder) Progress() { l.polls, l.timed = 0, false }

// Polled counts a poll, and reports whether Next is due.
func (l *Ladder) Polled(crowded bool) (due bool) {
	l.polls++
	return crowded || l.polls%l.Every == 0
}

// Next returns how the thread goes on at the time now, by any clock that does not go backwards.
// crowded says that the threads of the job outnumber the processors.
func (l *Ladder) Next(now time.Duration, crowded bool) Rung {
	if !l.timed {
		l.timed, l.begun, l.last = true, now, now
	}
	if lost := now - l.last; lost >= leastLost {
		l.busy = now + min(busyFactor*lost, mostBusy)
	}
	l.last = now
	most := l.Spin
	if busy := now < l.busy; crowded {
		if most = l.Crowded; busy {
			return Sleep // a poll keeps the processor from the rank that is awaited
		}
	} else if busy {
		most = min(most, busySpin)
	}
	switch {
	case now-l.begun >= most:
		return Sleep
	case crowded:
		return Yield
	}
	return Poll
}
