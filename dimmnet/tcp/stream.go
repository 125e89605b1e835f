package tcp

// stream is the bytes between this rank and a peer, in order, and how a poll hears of
// them. No method waits.
type stream interface {
	// read puts what has come into p, and says how much: 0 if nothing has. An error is
	// the end, io.EOF if the peer has ended it.
	read(p []byte) (int, error)
	// held says whether read has more of which no poll tells any more.
	held() bool
	// write takes the first bytes of p, as many as there is room for, and says how many.
	// more says that others follow at once.
	write(p []byte, more bool) (int, error)
	// flush says whether all that write has taken is on its way; what is not needs room.
	flush() (clear bool, err error)
	// block says whether the poll shall tell when there is room, too.
	block(on bool)
	// hungUp says whether the peer has ended it, or it is broken. What came before may
	// still be to be read.
	hungUp() bool
	// end tells the peer that nothing more comes.
	end()
	// forget keeps a stream that is over from waking anybody.
	forget()
	close()
}
