//go:build !linux

package cpuset

import "runtime"

// Own returns the processors that this process may use: at least one.
func Own() (s Set) {
	for cpu := range min(runtime.NumCPU(), most) {
		s.add(cpu)
	}
	return s
}
