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
// A twin is a copy of the bound bytes as they were when an exclusive tenure began.
// When it ends, blocks of 64 bytes are compared and the differing ones trimmed
// to 8-byte words: unchanged gaps shorter than that travel along, which is
// cheaper than another header. A program that knows what it will write
// declares it and pays for no twin.
//
// [Space.Detect] says what becomes of the twin. It can be kept: between tenures a kept twin is
// what memory is, but for the pages that other ranks have written ([Space.Accept]) or a
// declaration has, and a tenure copies only these. And somebody can watch the
// pages ([Pages], the kernel): when a tenure begins all is forgotten, so a page that is
// not said to be written is still what the twin is, and only the others are compared.
//
// The holder of a variable owns all of its bytes, so whole pages, cut to what the variable
// guards, could go as they are, and no twin would be needed. But they would take unchanged
// bytes along, a tenure that wrote nothing new would count as one that did, and what moves would
// depend on the machine. To compare a page costs no more than the fault by which it was
// noticed. So all ways find the same pieces, and one that fails gives way to another in the
// middle of a tenure.
//
// Every written piece carries the version that wrote it. A byte belongs to at
// most one variable, so two variables may share a page without sharing data.
package consistency
