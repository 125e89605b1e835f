package stream

import "time"

// pace decides how long the gathered posts of a thread may wait for more posts, so that all go to
// the peer in one system call and one segment. Posts wait for one of two reasons.
//
// A thread may be about to idle, and have read nothing for some time. If something has arrived, the
// answer may join the posts: Idle then returns at once.
//
// A thread may end its call (the Err at the end of Drive) when it has sent data. Its next call may
// follow at once, and the peer may need the posts of that call, too. Nobody knows whether it
// follows: a thread that computes leaves its posts to the flush timer. So a thread earns the right
// to let posts wait. Each time that it calls again within shortGap, it earns segmentTime; each
// time that posts wait in vain, it pays the time of the wait. So waiting never costs a program
// more than it has saved, and one wait. Posts without data do not wait: a peer that waits for a
// word gains nothing from the next one.
type pace struct {
	held    int           // how often the gathered posts have been held
	data    bool          // they contain data
	byIdle  bool          // Idle has just held them: the following Err does, too
	waiting bool          // they wait because a call has ended
	ended   time.Duration // when the last call that left data ended; 0: the gap is measured
	idled   time.Duration // when Idle last returned after it had sent
	earned  time.Duration // earned and not paid
}

const (
	mostHeld    = 2
	shortGap    = 5 * time.Microsecond
	segmentTime = 2 * time.Microsecond  // a segment costs at least as much at each end
	leastEarned = 32 * time.Microsecond // before posts wait
	mostEarned  = 2 * longestGather
	// readFirstAfter is the time since the last Idle after which Idle reads before it sends. A read
	// that finds nothing takes 0.2 us, which delays the posts little.
	readFirstAfter = 10 * time.Microsecond
)

// endCall reports whether the posts may wait when a call ends at the time now.
func (p *pace) endCall(now time.Duration) bool {
	p.measure(now)
	p.ended = now
	p.waiting = p.held < mostHeld && p.earned >= leastEarned
	if p.waiting {
		p.held++
	}
	return p.waiting
}

// measure earns or pays for the gap between the end of the last call and now, in the next call.
func (p *pace) measure(now time.Duration) {
	if p.ended == 0 {
		return
	}
	if gap := now - p.ended; gap <= shortGap {
		p.earned = min(p.earned+segmentTime, mostEarned)
	} else if p.waiting {
		p.earned -= min(gap, longestGather)
	}
	p.ended, p.waiting = 0, false
}

// readsFirst reports whether an Idle at the time now should read before it sends.
func (p *pace) readsFirst(now time.Duration) bool {
	return p.held < mostHeld && now-p.idled > readFirstAfter
}

// hold records that Idle read something, and lets the posts wait.
func (p *pace) hold() {
	p.held++
	p.byIdle = true
}

// sent records that the posts were sent.
func (p *pace) sent() { p.held, p.data, p.byIdle, p.waiting = 0, false, false, false }
