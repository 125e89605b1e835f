package dimmnet

// Stepper is a state machine that moves bytes and never waits.
//
// Step does a bounded amount of work and reports whether it made progress. A Step that returns
// false has posted nothing and changed nothing. Until something arrives, further Steps read the
// same words in the same order; so the simulator can skip polling passes without changing the
// result. A Step must not compute (Host.Spend). It charges work (Host.Charge) only with progress.
type Stepper interface {
	Step() (progress bool, err error)
}

// Drive calls s.Step until done returns true, or returns the error of s or p. It is the loop that
// waits: p.Idle decides how (on live networks by a local.Ladder). It checks p for failure only when
// s makes no progress. A port may collect posts and send them when Drive calls Idle or Err.
func Drive(p Port, s Stepper, done func() bool) error {
	for !done() {
		mark := p.Arrivals()
		progress, err := s.Step()
		if err != nil {
			return err
		}
		if progress {
			continue
		}
		p.Idle(mark)
		if err := p.Err(); err != nil {
			return err
		}
	}
	return p.Err()
}

// Until calls step until it returns true. Like a Stepper, step posts nothing if it returns false.
func Until(p Port, step func() bool) error {
	u := &until{step: step}
	return Drive(p, u, func() bool { return u.done })
}

type until struct {
	step func() bool
	done bool
}

// Step calls step.
func (u *until) Step() (progress bool, err error) {
	u.done = u.step()
	return u.done, nil
}

// DriveSoon is Drive for an answer that mostly arrives within a few microseconds, from a rank that
// has a processor to itself. It calls s.Step up to steps times before it calls Drive.
func DriveSoon(p Port, s Stepper, done func() bool, steps int) error {
	for range steps {
		progress, err := s.Step()
		if err != nil || progress && done() {
			return err
		}
	}
	return Drive(p, s, done)
}
