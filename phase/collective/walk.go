package collective

// stage does what it can. Unless it is done or has moved, it has posted and
// changed nothing, and reads the same words next time.
type stage func() (done, moved bool, err error)

// walk is the dimmnet.Stepper of a call: its stages one after the other.
type walk struct {
	stages []stage
	at     int
}

// Step goes through as many stages as it can.
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
