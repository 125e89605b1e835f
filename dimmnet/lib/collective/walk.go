package collective

// stage does as much as it can. If it returns neither done nor moved, it has posted and changed
// nothing, and its next call reads the same words.
type stage func() (done, moved bool, err error)

// walk is the dimmnet.Stepper of a Barrier or Reduce; it runs the stages of the call in order.
type walk struct {
	stages []stage
	at     int
}

// Step runs as many stages as it can.
func (w *walk) Step() (progress bool, err error) {
	for !w.done() {
		done, moved, err := w.stages[w.at]()
		progress = progress || done || moved
		if err != nil || !done {
			return progress, err
		}
		w.at++
	}
	return progress, nil
}

func (w *walk) done() bool { return w.at == len(w.stages) }
