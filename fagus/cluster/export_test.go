package cluster

import "time"

// HelloPacket returns the hello of a process with the given place, as it sends it to rank 0.
func HelloPacket(place Place, pid int) ([]byte, error) {
	m, err := newHello(place, pid, time.Minute).message()
	return m.encode(), err
}
