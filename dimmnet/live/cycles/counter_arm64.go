package cycles

// counter returns the virtual count of the generic timer.
func counter() uint64

// steady returns true: the generic timer runs at one rate (Arm Architecture Reference Manual).
func steady() bool { return true }
