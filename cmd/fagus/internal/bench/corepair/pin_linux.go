package corepair

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Pin binds the calling thread to one processor.
func Pin(cpu int) error {
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("corepair: pin a thread to processor %d: %w", cpu, err)
	}
	return nil
}

// Allowed returns the processors that this process may use, in ascending order.
func Allowed() (cpus []int, err error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("corepair: list the processors that this process may use: %w", err)
	}
	for cpu := 0; len(cpus) < set.Count(); cpu++ {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}
