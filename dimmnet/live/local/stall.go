package local

import "time"

// DefaultStall is how long the process of another rank may show no sign of life before the run
// fails. It tolerates the pause of a virtual machine that is moved or saved, for which 10 seconds
// are common. The end of a process and a reset connection are noticed at once by other means.
const DefaultStall = 15 * time.Second

// Lag measures how late the system runs a goroutine that wakes at regular times, as a measure of
// how late it may run the goroutines of other processes. The zero value has seen no delay.
type Lag struct{ worst time.Duration }

// Observe records that the goroutine ran late by d. Delays are forgotten with a half-life of 44
// observations.
func (l *Lag) Observe(d time.Duration) { l.worst = max(d, l.worst-l.worst/64) }

// Extend returns the length of silence that is too long, if stall is too long on an idle machine.
// On an overloaded machine, live processes are silent for many times the delay that one of them
// observes.
func (l *Lag) Extend(stall time.Duration) time.Duration { return stall + 16*l.worst }
