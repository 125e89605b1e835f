package replay

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/fagus-dsm/fagus/fagus/recording"
)

// Result says how far a replay did what the recorded run did.
type Result struct {
	Rank   int    `json:"rank"`
	Calls  int    `json:"calls"`  // that were the recorded ones
	Pieces int    `json:"pieces"` // that the rank has written, and the recorded ones
	Bytes  int64  `json:"bytes"`  // of them
	Words  int    `json:"words"`  // that the rank gave to Reduces
	End    string `json:"end"`    // one of the constants
	Text   string `json:"text"`   // about End
	// Difference is the first one; nil if there is none.
	Difference *Difference `json:"difference,omitempty"`
	// Moved is the first call at another line than the recorded one; "" if there is none.
	Moved string `json:"moved,omitempty"`
}

// How a replay has ended.
const (
	Ended    = "end"      // the rank has done all that it did
	Failed   = "failed"   // where the recorded run failed
	Cut      = "cut"      // where the record ends early
	Diverged = "diverged" // where the program makes other calls
)

// Difference is a difference between a replay and the recorded run.
type Difference struct {
	Call int    `json:"call"` // how many calls the rank had made
	Line string `json:"line"`
	Text string `json:"text"` // what differs

	// Of an element of an array:
	Variable string `json:"variable,omitempty"`
	Array    string `json:"array,omitempty"`
	Kind     string `json:"kind,omitempty"` // of the array: "9 elements of type float64"
	Element  int    `json:"element"`
	Recorded []byte `json:"recorded,omitempty"` // its bytes
	Replayed []byte `json:"replayed,omitempty"`
}

// Error says what differs, and where.
func (d *Difference) Error() string {
	return fmt.Sprintf("replay: call %d at %s: %s", d.Call, d.Line, d.Text)
}

// Finish returns the result of a replay that has ended with an error, or by a panic, or with
// neither.
func (r *Rank) Finish(err error) Result {
	e := r.engine
	if e == nil {
		return Result{Rank: r.About.Rank, End: Diverged, Text: fmt.Sprintf("the program has not begun: %v", err)}
	}
	result := e.result
	result.Rank, result.Difference, result.Moved = r.About.Rank, e.differs, e.moved
	switch next := e.peek(); {
	case e.ended:
		result.End = Ended
	case e.err != nil && !errors.Is(e.err, errEnded):
		result.End, result.Text = Diverged, e.err.Error()
	case next == nil && e.failed != "":
		result.End, result.Text = Failed, e.failed
	case next == nil:
		result.End, result.Text = Cut, e.cutText()
	default:
		text := "it has returned"
		if err != nil {
			text = err.Error()
		}
		d := &Difference{Call: result.Calls, Line: "the end of the program", Text: fmt.Sprintf("%s; the recorded run went on with %s", text, e.describe(next))}
		result.End, result.Text = Diverged, d.Text
		if result.Difference == nil {
			result.Difference = d
		}
	}
	return result
}

// after returns the result of several runs of a process, of which r is the last.
func (r Result) after(before Result) Result {
	r.Calls, r.Pieces, r.Bytes, r.Words = r.Calls+before.Calls, r.Pieces+before.Pieces, r.Bytes+before.Bytes, r.Words+before.Words
	r.Moved = cmp.Or(before.Moved, r.Moved)
	if before.Difference != nil {
		r.Difference, r.End, r.Text = before.Difference, before.End, before.Text
	}
	return r
}

// Write writes the result to the file that the environment names, with those of earlier runs of
// the process. Without a file it returns an error if there is a difference.
func (r Result) Write(lookup func(string) (string, bool)) error {
	if file, _ := lookup(ResultVariable); file != "" {
		var before Result
		if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, &before) == nil {
			r = r.after(before)
		}
		text, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("replay: %w", err)
		}
		return os.WriteFile(file, text, 0o666)
	}
	if r.Difference != nil {
		return r.Difference
	}
	return nil
}

// Close closes the files of the record.
func (r *Rank) Close() { r.close() }

// describe describes a recorded entry.
func (e *Engine) describe(next recording.Entry) string {
	switch next := next.(type) {
	case *recording.Tenure:
		return fmt.Sprintf("Acquire of %s%s", e.sets(ids(next.Shared), ids(next.Exclusive)), at(e.own.Line(next.Acquired)))
	case *recording.Meeting:
		return fmt.Sprintf("%v%s", next.Call, at(e.own.Line(next.Line)))
	case *recording.Writes:
		return "Release" + at(e.own.Line(e.tenure.Released))
	}
	return "nothing"
}

func at(line string) string {
	if line == "" {
		return ""
	}
	return " at " + line
}
