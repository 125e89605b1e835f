package tcp

// stream is the bytes between this rank and a peer. Neither method waits.
type stream interface {
	// read puts what has come into p, and says how much: 0 if nothing has. An error is
	// the end, io.EOF if the peer has ended it.
	read(p []byte) (int, error)
	// write takes the first bytes of p, as many as there is room for, and says how many.
	// more says that others follow at once.
	write(p []byte, more bool) (int, error)
}
