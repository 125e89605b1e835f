// Package consistency decides what must move so that a rank's copy of the data
// behind a sync variable becomes current. It is pure: it compares and records,
// and others send.
//
// A [Space] is one rank's view of the global address space: regions of memory,
// sync variables bound to byte ranges of them, and for each variable the
// versions that wrote its bytes. Addresses mean the same on every rank; the
// memory behind them is the rank's own copy.
//
//	base, err := space.AddRegion("C", "[]float64 of 100", mem)
//	id, err := space.Bind("C.0", []consistency.Range{{Lo: base, Hi: base + 80}})
//	space.BeginWrite(id, nil)         // an exclusive tenure: keep a twin
//	copy(mem, ...)                    // the program computes
//	changed := space.EndWrite(id, 3)  // compare; what differs is of version 3
//	pieces := space.Newer(id, 2)      // what a copy of version 2 lacks
//
// # What changed
//
// The twin is a copy of the bound bytes, made when an exclusive tenure begins.
// When it ends, blocks of 64 bytes are compared and the differing ones trimmed
// to 8-byte words: unchanged gaps shorter than that travel along, which is
// cheaper than another header. A program that knows what it will write
// declares it and pays for no twin. The memory of a twin is kept for the next
// tenure.
//
// Every written piece carries the version that wrote it. A byte belongs to at
// most one variable, so two variables may share a page without sharing data.
package consistency
