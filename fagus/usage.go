package fagus

import (
	"sync"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// ProcessorTime is the processor time that the threads of a process have got, and what they wanted:
// with the time for which they were ready to run and other threads had the processors. Wanted is 0
// if it is not known.
type ProcessorTime struct{ Got, Wanted Time }

// waited returns for how long threads were ready to run and had no processor; 0 if unknown.
func (p ProcessorTime) waited() Time { return max(0, p.Wanted-p.Got) }

// Usage is what the system has counted of one process. A rank that is a goroutine has no account of
// its own, because Go moves goroutines between the threads of the process.
type Usage struct {
	ProcessorTime
	// Ranks is the number of ranks that are goroutines of the process, this one and the next; 0 if
	// the system counts nothing, in virtual time, and where the process is that of a rank before.
	Ranks int
	// Processors is the number of processors that the process may use at a time.
	Processors int
	// Voluntary counts how often a thread has gone to sleep, and Involuntary how often the system
	// has taken the processor from one.
	Voluntary, Involuntary uint64
	// Faults counts page faults without reading from a disk, and DiskFaults the others.
	Faults, DiskFaults uint64
	// Peak is the largest number of bytes that the process has had in memory since it was started.
	Peak uint64
}

// plus returns the sum of the counts of u and v, of one process. Wanted is known if both are.
func (u Usage) plus(v Usage) Usage {
	u.Got, u.Wanted = u.Got+v.Got, u.Wanted+v.Wanted
	u.Voluntary, u.Involuntary = u.Voluntary+v.Voluntary, u.Involuntary+v.Involuntary
	u.Faults, u.DiskFaults = u.Faults+v.Faults, u.DiskFaults+v.DiskFaults
	return u
}

// since returns what has been added to u since before. waited is for how long threads have waited
// for a processor meanwhile; below 0 if that is not known.
func (u Usage) since(before Usage, waited Time) Usage {
	u.Got = max(0, u.Got-before.Got)
	u.Wanted = 0
	if waited >= 0 {
		u.Wanted = u.Got + waited
	}
	u.Voluntary, u.Involuntary = u.Voluntary-before.Voluntary, u.Involuntary-before.Involuntary
	u.Faults, u.DiskFaults = u.Faults-before.Faults, u.DiskFaults-before.DiskFaults
	return u
}

// account adds up what the system counts of this process, for the whole run and for the time in
// which any of its ranks is in a measured section. Reading takes a system call, and another few for
// each thread to learn for how long it has waited: so it is done only where a run or a section
// begins and ends, outside the times that the ranks measure. A nil account counts nothing.
type account struct {
	ranks    int
	run      reading // at the begin of the run
	mu       sync.Mutex
	inside   int     // ranks in a measured section
	begin    reading // when the first of them began it
	measured Usage
	spent    Time // on readings of the waiting time, for sections
	started  Time // when the first section began
	blind    bool // waiting is not known of every section
}

// reading is what the system has counted up to now.
type reading struct {
	usage  Usage
	waited Time
	known  bool // waited is
}

// mostReading is the largest share of the time since the first section that readings of the
// waiting time take. Where sections are so short that they would take more, it is not known.
const mostReading = 0.01

// newAccount begins the account of a process with a number of ranks.
func newAccount(ranks int) *account {
	if readUsage() == (Usage{}) {
		return nil // the system counts nothing
	}
	a := &account{ranks: ranks}
	a.run.waited, a.run.known = waitedTime()
	a.run.usage = readUsage()
	return a
}

// enter begins a measured section of a rank. It comes before the rank's clock is read.
func (a *account) enter(h dimmnet.Host) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.inside++; a.inside > 1 {
		return
	}
	now := h.Now()
	if a.started == 0 {
		a.started = now
	}
	a.begin = reading{}
	if float64(a.spent) <= mostReading*float64(now-a.started) {
		a.begin.waited, a.begin.known = waitedTime()
		a.spent += 2 * (h.Now() - now) // and once more at the end
	}
	a.blind = a.blind || !a.begin.known
	a.begin.usage = readUsage()
}

// leave ends a measured section of a rank. It comes after the rank's clock is read.
func (a *account) leave() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.inside--; a.inside == 0 {
		a.measured = a.measured.plus(a.begin.since())
	}
}

// since returns what has been counted since the reading.
func (r *reading) since() Usage {
	now, waited := readUsage(), Time(-1)
	if r.known {
		if at, known := waitedTime(); known {
			waited = max(0, at-r.waited) // a thread that has ended has taken its account with it
		}
	}
	return now.since(r.usage, waited)
}

// end ends the account. It returns what is of the whole run, and of the measured sections.
func (a *account) end() (run, measured Usage) {
	if a == nil {
		return run, measured
	}
	run, measured = a.run.since(), a.measured
	if a.blind {
		measured.Wanted = 0
	}
	run.Ranks, run.Processors, run.Peak = a.ranks, processors(), peakMemory()
	if measured != (Usage{}) {
		measured.Ranks, measured.Processors, measured.Peak = run.Ranks, run.Processors, run.Peak
	}
	return run, measured
}
