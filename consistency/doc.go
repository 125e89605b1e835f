// Package consistency decides which bytes must move to make a rank's copy of a sync variable
// current. It is pure: it compares and records, and other packages send.
//
// A [Space] is one rank's view of the global address space: regions of memory, sync variables
// bound to byte ranges of them, and for each variable the versions that wrote its bytes.
// Addresses mean the same on every rank; the memory behind them is the rank's own copy.
//
//	base, err := space.AddRegion("C", "[]float64 of 100", 8, mem)
//	id, err := space.Bind("C.0", []consistency.Range{{Lo: base, Hi: base + 80}})
//	space.BeginWrite(id, nil)         // an exclusive tenure begins: make a twin
//	copy(mem, ...)                    // the program computes
//	changed := space.EndWrite(id, 3)  // compare; the differences get version 3
//	pieces := space.Newer(id, 2)      // the pieces that a copy of version 2 lacks
//
// # Finding what changed
//
// A tenure is the time from the Acquire of a variable to its Release. A twin is a copy of the bound
// bytes from the beginning of an exclusive tenure. When the tenure ends, blocks of 64 bytes are
// compared, and the differing blocks are trimmed to words of 8 bytes. Short unchanged gaps are sent
// too, because that is cheaper than another header. Declared writes need no twin.
//
// [Space.Detect] selects whether the twin stays after the tenure. Between tenures, a kept twin
// equals memory, except on pages that other ranks have written ([Space.Accept]) or that a tenure
// has declared. A new tenure copies only these pages. The kernel can watch pages too ([Pages]). Its
// record is cleared when a tenure begins, so only pages that it reports as written are compared.
//
// The holder of a variable owns all of its bytes. So a rank could send whole written pages, cut to
// the guarded bytes, without a twin. But then unchanged bytes would be sent too, a tenure that
// changes nothing would count as a write, and the pieces would depend on the machine. Comparing a
// page costs no more than the fault that reports it. So all methods find the same pieces, and if
// one method fails during a tenure, another method replaces it.
//
// Every written piece carries the version that wrote it. A byte belongs to at most one variable,
// so two variables may share a page without sharing data.
package consistency
