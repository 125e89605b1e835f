// Package guard implements access checking (fagus.Config.Check): it detects a program's accesses
// to shared memory that it does not hold. It moves no data and does not depend on an engine.
//
// Every array is mapped twice. The runtime uses a mapping that is always readable and writable. The
// program uses a view whose pages the [Guard] opens and closes as variables are acquired and
// released. An access to a closed page raises a fault, which debug.SetPanicOnFault turns into a
// panic with the address; [Guard.Fault] describes what was wrong with the access.
//
//	memory, err := g.Map(bytes)
//	base, err := space.AddRegion(name, kind, size, memory.Own)
//	g.Add(memory, name, base, 8)
//	err = g.Acquired(tenure)          // opens the pages
//	part := g.Part(addresses)         // for the program, instead of a part of memory.View
//	text, ok := g.Fault(addr)         // describes a faulting access
//	err = g.Released(written)         // compares bytes that share a page, closes the pages
//	advice := guard.Advise(tallies)   // from the tallies of all ranks
//
// # Open pages
//
// A page is readable while the rank holds a variable that guards a byte of the page, or
// while Update has brought such a variable up to date. It is writable while the rank holds
// such a variable exclusively; if the holder declared its writes, a declared byte must lie
// on the page. A page may thus be writable because of one variable and hold bytes of
// another. Released finds writes to those bytes by comparing them with a copy.
//
// A window is a further mapping of the pages on which the bytes of one variable lie together with
// bytes of others. Its pages are open exactly while this variable's bytes are. Part returns such
// bytes in the window of their variable, so that wrong reads are found, too.
//
// # Untouched data
//
// A page of the view has no entry in the page table until the program touches it. When data arrive,
// the guard drops the entries of their pages; the contents stay. At the end of the tenure,
// /proc/self/pagemap shows which entries have come back. Along with a page that is read, the kernel
// maps up to 16 neighbours (64 KiB), so the guard may miss untouched bytes. It does not report
// touched bytes as untouched, except when the kernel reclaims pages because memory is short.
package guard
