// Package pump makes streams for package stream of connections whose calls wait. For each peer one
// goroutine reads the connection into a buffer of 256 KiB, and another writes the connection from
// a buffer. The thread of a rank uses the buffers alone, and never waits.
//
// Threads and goroutines take turns on a processor. So a thread that waits sleeps soon.
package pump
