// Package target is Fagus as compilers call it: by numbers and byte ranges, where package fagus has types. A Session
// is a rank's; every call checks what it is given and says what is wrong by a Code. cmd/libfagus is the
// C library over it. A Client has the same calls for a Node in another process, where Serve makes them.
//
//	s := target.Begin(n)                              // n is the rank's Node
//	a, err := s.Alloc("A", 8*1000)                    // array 0, 8000 bytes
//	v, err := s.Bind("row", target.Span{Array: a, Offset: 0, Bytes: 800})
//	set, err := s.NewSet()
//	err = s.Ask(set, v, target.Exclusive)
//	err = s.Acquire(set)                              // as fagus.Node.Acquire
//	copy(s.Memory(a), ...)
//	err = s.Release(set)
//
// Arrays, variables and sets are numbered from 0 in the order in which they are made; arrays and variables have the same
// numbers at every rank. A name has at most [MaxName] bytes, and a call [MaxSpans] spans.
package target
