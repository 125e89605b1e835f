package cpuset

import "golang.org/x/sys/unix"

// Own returns the processors that the operating system lets this process use: at least one.
func Own() (s Set) {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		s.add(0)
		return s
	}
	for cpu := range most {
		if allowed.IsSet(cpu) {
			s.add(cpu)
		}
	}
	return s
}
