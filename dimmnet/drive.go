package dimmnet

// Stepper is a state machine that moves bytes without ever waiting.
//
// Step does one bounded piece of work and says whether it progressed. A Step
// that returns false has posted nothing and changed nothing, and while nothing
// arrives it reads the same words in the same order every time: the simulator
// skips such polling passes and is still exact. A Step charges no computation
// (Host.Spend).
type Stepper interface {
	Step() (progress bool, err error)
}

// Drive steps s until done, s fails or p fails, which it sees when s comes no further. It
// is the only poll loop. A port may gather what is posted until Idle has found nothing new, or
// Drive asks for its Err.
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
