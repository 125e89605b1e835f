package local

import "time"

// Ladder decides how a thread waits: it polls for a while, and then sleeps in the kernel until it
// is woken. The networks know what a thread waits for, and ask the ladder how to wait.
//
// Waking a sleeper on an idle processor takes 20 to 70 us, so a thread that has its processor to
// itself polls for about as long. Then a wait takes at most twice as long as in the better of the
// two ways. If other programs want the processor, it is different. Each moment of polling is taken
// from the thread's share, which it needs for its work. When a thread yields, each of the others
// gets a time slice, and the thread does not get its own share back. A thread that sleeps keeps
// its share, and takes the processor away from the others when it is woken. So there it polls for
// about as long as an answer from a running rank takes, never yields, and sleeps
// (docs/internals/decisions, 0079).
//
// Where threads of the job outnumber processors, other programs make no difference. A thread
// yields to the awaited one, and gets the processor back after a short time slice (Foreground),
// whoever else wants it (0092).
//
// A thread notices other programs by the time that it loses: when two readings of the clock are
// far apart, and it only polled or yielded in between, another program has had the processor. A
// thread that seldom polls seldom notices, and loses little by it.
type Ladder struct {
	Spin    time.Duration // how long to poll where every thread has a processor
	Crowded time.Duration // how long to poll and yield where threads outnumber processors
	Every   int           // the number of polls between two readings of the clock

	polls int           // number of polls since the wait began
	timed bool          // begun and last belong to this wait
	begun time.Duration // the first reading of the clock
	last  time.Duration // the last reading of the clock
	busy  time.Duration // until then other programs are assumed to want the processor
}

// Rung is what a thread does next while it waits.
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
	// busySpin is the time in which a running rank answers, also over a socket.
	busySpin = 20 * time.Microsecond
	// leastLost is the shortest time between two readings of the clock that shows another program.
	// Interrupts, and the threads of Go's runtime, take less.
	leastLost = 200 * time.Microsecond
	// The thread remembers a loss for busyFactor times as long as the loss lasted. So yields that
	// give the processor to another program take at most 3 % of the time.
	busyFactor = 32
	mostBusy   = 10 * time.Second
)

// Progress says that the thread has made progress: its next poll begins another wait.
func (l *Ladder) Progress() { l.polls, l.timed = 0, false }

// Polled counts a poll, and reports whether Next is due.
func (l *Ladder) Polled(crowded bool) (due bool) {
	l.polls++
	return crowded || l.polls%l.Every == 0
}

// Next returns what the thread does next at the time now, by any clock that does not go backwards.
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
	switch {
	case crowded:
		most = l.Crowded
	case now < l.busy:
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
