// Package csession is the interface of Fagus for programs in other languages. It identifies
// arrays, variables and sets by numbers and memory by byte ranges, where package fagus has types.
// Each rank has one Session. Every call checks its arguments and reports an error with a Code.
// cmd/libfagus is the C library built on it. A Client offers the same calls for a Node in another
// process, where Serve executes them.
//
//	s := csession.Begin(n)                            // n is the rank's Node
//	a, err := s.Alloc("A", 8*1000)                    // array 0, 8000 bytes
//	v, err := s.Bind("row", csession.Span{Array: a, Offset: 0, Bytes: 800})
//	set, err := s.NewSet()
//	err = s.Add(set, v, csession.Exclusive)
//	err = s.Acquire(set)                              // as fagus.Node.Acquire
//	copy(s.Memory(a), ...)
//	err = s.Release(set)
//
// Arrays, variables and sets are numbered from 0 in the order in which they are made. Arrays and
// variables have the same numbers at every rank. A name has at most [MaxName] bytes, and a call
// at most [MaxSpans] spans.
package csession
