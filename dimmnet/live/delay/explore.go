//go:build fagusdelay

package delay

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
)

// exploring is the exploration that Explore performs now, or nil.
var exploring atomic.Pointer[explorer]

// mostSteps bounds a schedule: a thread that polls and never sleeps keeps the others from running.
const mostSteps = 10_000

// Explore runs the threads that program returns under every schedule with at most preemptions
// preemptions, and calls program again for each. A preemption is a switch from a thread that could
// go on; a negative number means any number. Explore returns the number of schedules, and the
// first error, with the steps that led to it: a thread's error, or that the remaining threads
// sleep forever.
//
// A step ends in Here, in Sleep and Wake, and where a Mutex or Cond is used. Threads must not wait
// in any other way. No other goroutine may use the package meanwhile.
func Explore(preemptions int, program func() []func() error) (schedules int, err error) {
	e := new(explorer)
	if !exploring.CompareAndSwap(nil, e) {
		panic("delay: Explore is called during another Explore")
	}
	defer exploring.Store(nil)
	for {
		schedules++
		if err := e.run(preemptions, program); err != nil {
			e.tracing = true
			again := e.run(preemptions, program)
			return schedules, fmt.Errorf("delay: schedule %d: %w\n%s", schedules, again, strings.Join(e.trace, "\n"))
		}
		if !e.advance() {
			return schedules, nil
		}
	}
}

// explorer runs threads one at a time. Only the thread that runs, or Explore before and after a
// schedule, uses its fields.
type explorer struct {
	threads []*thread
	running *thread  // nil while program is called
	path    []choice // choices of this schedule; those from depth on have not been repeated yet
	depth   int
	left    int // preemptions that are left
	steps   int
	err     error // first failure; from then on every thread ends at its next step
	done    chan struct{}
	tracing bool
	trace   []string
}

// choice is a place in a schedule at which several threads could run.
type choice struct{ taken, of int }

type thread struct {
	number int
	resume chan struct{}
	sleeps any    // what the thread waits for until a wake-up, or nil
	wants  *Mutex // the mutex that the thread waits for, or nil
	ended  bool
}

func (t *thread) ready() bool {
	return !t.ended && t.sleeps == nil && (t.wants == nil || !t.wants.held)
}

// run runs the threads of program under the schedule that path begins.
func (e *explorer) run(preemptions int, program func() []func() error) error {
	*e = explorer{path: e.path, left: preemptions, done: make(chan struct{}), tracing: e.tracing}
	for i, f := range program() {
		t := &thread{number: i, resume: make(chan struct{})}
		e.threads = append(e.threads, t)
		go func() {
			defer e.end(t)
			<-t.resume
			if e.err != nil {
				return
			}
			if err := f(); err != nil && e.err == nil {
				e.err = fmt.Errorf("thread %d: %w", t.number, err)
			}
		}()
	}
	e.pass()
	<-e.done
	return e.err
}

// advance changes path to the next schedule that has not run, and reports whether there is one.
func (e *explorer) advance() bool {
	for i, c := range slices.Backward(e.path) {
		if c.taken+1 < c.of {
			e.path = e.path[:i+1]
			e.path[i].taken++
			return true
		}
	}
	return false
}

// step ends a step of the running thread, and returns when the thread runs again.
func (e *explorer) step() {
	t := e.running
	if t == nil || e.err != nil {
		return // after a failure, the thread's deferred functions run
	}
	if e.steps++; e.steps > mostSteps {
		e.err = fmt.Errorf("threads %v do not end in %d steps", e.present(), mostSteps)
	}
	if e.tracing {
		e.trace = append(e.trace, fmt.Sprintf("  thread %d: %s", t.number, caller()))
	}
	if e.err == nil && e.pass() {
		<-t.resume
	}
	if e.err != nil {
		runtime.Goexit()
	}
}

// pass chooses the thread of the next step, and resumes it unless it is running already. It reports
// whether another thread runs now.
func (e *explorer) pass() (switched bool) {
	last := e.running
	next := e.choose()
	if next == nil {
		e.err = fmt.Errorf("threads %v sleep forever", e.present())
		if last != nil && !last.ended {
			return false // it ends, and then resumes the others
		}
		next = e.threads[e.present()[0]]
	}
	if e.running = next; next == last {
		return false
	}
	next.resume <- struct{}{}
	return true
}

// choose returns the thread of the next step, or nil if no thread can run.
func (e *explorer) choose() *thread {
	var can []*thread
	goesOn := e.running != nil && e.running.ready()
	if goesOn {
		can = append(can, e.running)
	}
	if !goesOn || e.left != 0 {
		for _, t := range e.threads {
			if t.ready() && !(goesOn && t == e.running) {
				can = append(can, t)
			}
		}
	}
	if len(can) == 0 {
		return nil
	}
	i := 0
	if len(can) > 1 {
		if e.depth == len(e.path) {
			e.path = append(e.path, choice{of: len(can)})
		}
		if e.path[e.depth].of != len(can) {
			panic("delay: the threads of Explore do not repeat their steps")
		}
		i = e.path[e.depth].taken
		e.depth++
	}
	if goesOn && i > 0 {
		e.left--
	}
	return can[i]
}

// end ends the running thread t.
func (e *explorer) end(t *thread) {
	t.ended = true
	e.running = t
	present := e.present()
	switch {
	case len(present) == 0:
		close(e.done)
	case e.err != nil:
		e.running = e.threads[present[0]]
		e.running.resume <- struct{}{}
	default:
		e.pass()
	}
}

// present returns the numbers of the threads that have not ended.
func (e *explorer) present() (numbers []int) {
	for _, t := range e.threads {
		if !t.ended {
			numbers = append(numbers, t.number)
		}
	}
	return numbers
}

// announce lets wake find the running thread. The thread sleeps from its next step until then.
func (e *explorer) announce(on any) {
	if e.err == nil {
		e.running.sleeps = on
	}
}

// wake wakes at most most of the threads that sleep on what.
func (e *explorer) wake(what any, most int) {
	for _, t := range e.threads {
		if t.sleeps == what && most > 0 {
			t.sleeps = nil
			most--
		}
	}
}

// lock locks m for the running thread.
func (e *explorer) lock(m *Mutex) {
	if t := e.running; t != nil {
		t.wants = m
		e.step() // returns when m is free
		t.wants = nil
	}
	m.held = true
}

// caller returns the place outside this package that the running thread has reached.
func caller() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !more || !strings.Contains(f.Function, "/delay.") {
			_, name, _ := strings.Cut(filepath.Base(f.Function), ".")
			return fmt.Sprintf("%s:%d %s", filepath.Base(f.File), f.Line, name)
		}
	}
}
