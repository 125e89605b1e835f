package order

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/syncvar"
)

// Most is the largest number of tenures in a Log.
const Most = 1 << 18

// Tenure is one tenure of a variable.
type Tenure struct {
	Var       syncvar.ID
	Exclusive bool
	Unordered bool            // the program is correct in whichever order the tenure is granted
	Version   syncvar.Version // at the beginning; an exclusive tenure has its own version
}

// A Log is what one rank did: its tenures, in the order in which they began.
type Log struct {
	Lines   []string // source lines of Acquire
	Tenures []Record
	// Full is the number of the meeting after which tenures are missing, 0 if they are missing from
	// the beginning, or -1 if none is.
	Full int
}

// Record is a tenure of a Log.
type Record struct {
	Tenure
	Line    int  // index in Log.Lines
	Meeting int  // number of meetings of the rank before the tenure
	Step    int  // number of steps of the rank before the tenure: see Recorder.step
	Changed bool // the holder changed the data
}

// Validate returns an error if no Recorder can have made the log, which another process may have
// sent. vars is the number of variables.
func (l *Log) Validate(vars int) error {
	var last Record
	for i, r := range l.Tenures {
		if int(r.Var) >= vars || r.Line < 0 || r.Line >= len(l.Lines) || r.Meeting < last.Meeting || r.Step < last.Step {
			return fmt.Errorf("order: tenure %d of a log is %+v, after meeting %d and step %d: want one of %d variables and %d lines", i, r, last.Meeting, last.Step, vars, len(l.Lines))
		}
		last = r
	}
	if l.Full < -1 || l.Full >= 0 && last.Meeting > l.Full {
		return fmt.Errorf("order: a log that is full after meeting %d has a tenure after meeting %d", l.Full, last.Meeting)
	}
	return nil
}

// Recorder makes the Log of a rank. The methods of a nil *Recorder do nothing.
type Recorder struct {
	log     Log
	lines   map[string]int
	meeting int
	// step counts the places where an order may come from another rank, or go to one. Equal
	// tenures of one step need one record. Each set with an unordered tenure has its own step.
	step int
	seen map[Record]bool // the records of this step, with version 0
	held []int           // indices in log.Tenures of the unordered tenures under way
}

// NewRecorder returns a Recorder of a rank that has done nothing.
func NewRecorder() *Recorder {
	return &Recorder{log: Log{Full: -1}, lines: make(map[string]int), seen: make(map[Record]bool)}
}

// Acquired records the beginning of tenures that were requested together in a source line.
func (r *Recorder) Acquired(line string, tenures []Tenure) {
	if r == nil || r.log.Full >= 0 || len(tenures) == 0 {
		return
	}
	if len(r.log.Tenures)+len(tenures) > Most {
		r.log.Full = r.meeting
		return
	}
	at, found := r.lines[line]
	if !found {
		at = len(r.log.Lines)
		r.lines[line] = at
		r.log.Lines = append(r.log.Lines, line)
	}
	apart := slices.ContainsFunc(tenures, func(t Tenure) bool { return t.Unordered })
	if apart {
		r.next()
	}
	for _, t := range tenures {
		kept := Record{Tenure: t, Line: at, Meeting: r.meeting, Step: r.step}
		if t.Unordered {
			r.held = append(r.held, len(r.log.Tenures))
		} else {
			kept.Version = 0 // irrelevant: see Find
		}
		if apart || !r.seen[kept] {
			r.seen[kept] = true
			r.log.Tenures = append(r.log.Tenures, kept)
		}
	}
}

// Released records the end of all tenures. changed lists the variables whose data the rank
// changed, in increasing order.
func (r *Recorder) Released(changed []syncvar.ID) {
	if r == nil || len(r.held) == 0 {
		return
	}
	for _, i := range r.held {
		_, r.log.Tenures[i].Changed = slices.BinarySearch(changed, r.log.Tenures[i].Var)
	}
	r.held = r.held[:0]
	r.next()
}

// Met records a meeting of all ranks.
func (r *Recorder) Met() {
	if r == nil {
		return
	}
	r.meeting++
	r.next()
}

func (r *Recorder) next() {
	r.step++
	clear(r.seen)
}

// Log returns the record so far. It is valid until the next call.
func (r *Recorder) Log() Log {
	if r == nil {
		return Log{Full: -1}
	}
	return r.log
}
