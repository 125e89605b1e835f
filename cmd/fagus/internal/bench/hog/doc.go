// Package hog keeps processors busy beside a measurement: it starts processes that spin at normal
// priority, as a neighbour's program does.
//
//	herd, err := hog.Start(self, []string{"bench", "--hog"}, []int{0, 1})
//	...
//	err = herd.Stop()
//
// Each process calls [Spin]. It holds the read end of a pipe whose other end its starter keeps
// open, so that it ends when the starter stops it, and also when the starter is killed.
package hog
