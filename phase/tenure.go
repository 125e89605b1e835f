package phase

import "github.com/fagus-dsm/fagus/syncvar"

// report is what the next call of a rank tells about the time before it.
type report struct {
	clean  []syncvar.ID // exclusive but unchanged in the last tenure
	wrote  []syncvar.ID // the variable changed in the last tenure, if it is a single one
	fenced bool         // Fence was called
}

func (r *report) empty() bool { return len(r.clean)+len(r.wrote) == 0 && !r.fenced }

// Acquire runs phases until all variables of both lists are granted.
func (e *Engine) Acquire(shared, exclusive []syncvar.ID) error {
	l := &e.list
	l.Call, l.Word, l.Shared, l.Exclusive, l.Awaits = syncvar.Acquire, 0, shared, exclusive, nil
	return e.reporting()
}

// Release ends a tenure of exclusive variables. written lists those that the rank has changed, in
// the same order. It sends nothing: the next call reports the unchanged variables, and the changed
// one.
func (e *Engine) Release(exclusive, written []syncvar.ID) {
	if len(written) == len(exclusive) && e.mover.Space.IsOneCopy() {
		return // no contents move
	}
	if len(written) == 1 {
		e.report.wrote = append(e.report.wrote[:0], written...)
	}
	for _, id := range exclusive {
		if len(written) > 0 && written[0] == id {
			written = written[1:]
		} else {
			e.report.clean = append(e.report.clean, id)
		}
	}
}

// Fence sends nothing: the next call says that the rank has called it. The second of two Fences in
// a row takes the rank through a phase, and says who came last to it.
func (e *Engine) Fence() (latest syncvar.Latest, err error) {
	if e.report.fenced { // another rank may have a call between the two
		if err := e.Acquire(nil, nil); err != nil {
			return latest, err
		}
		latest = e.Latest()
	}
	e.report.fenced = true
	return latest, nil
}

// Meet runs phases until all ranks are in the same call, which is not an Acquire. If requests are
// polled and the rank has nothing to report, Meet posts its request before it makes a list.
func (e *Engine) Meet(call syncvar.Call, word uint64) error {
	if e.quick != nil && e.err == nil && e.report.empty() {
		if l := e.quick.Meet(call, word); l != nil {
			e.state = gather
			e.observer.Entered()
			return e.complete(l)
		}
	}
	l := &e.list
	l.Call, l.Word, l.Shared, l.Exclusive, l.Awaits = call, word, nil, nil, nil
	return e.reporting()
}

// reporting is Call, with the report, for the list of Acquire or Meet.
func (e *Engine) reporting() error {
	l, r := &e.list, &e.report
	l.Clean, l.Attached, l.Fenced = r.clean, r.wrote, r.fenced
	err := e.Call(l)
	if err == nil {
		r.clean, r.wrote, r.fenced = r.clean[:0], r.wrote[:0], false
	}
	return err
}
