// Package guard watches what a program does with shared memory, for
// fagus.Config.Check. It does not move data, and knows no engine.
//
// Every array is mapped twice: the runtime has a mapping that is always
// readable and writable, the program one whose pages the [Guard] opens and
// closes as variables are acquired and released. An access to a closed page
// raises a fault, which debug.SetPanicOnFault turns into a panic with the
// address; [Guard.Fault] says in words what was wrong.
//
//	memory, err := g.Map(bytes)
//	base, err := space.AddRegion(name, kind, memory.Own)
//	g.Add(memory, name, base, 8)
//	err = g.Acquired(tenure)          // open the pages
//	words, ok := g.Fault(addr)        // what a faulting access did
//	err = g.Released(written)         // compare what shares a page, close
//	advice := guard.Advise(tallies)   // of all ranks
//
// # What opens a page
//
// A page is readable while a variable that guards a byte of it is held, or has been
// brought up to date by Update, and writable while a variable that is held
// exclusively guards a byte of it (if the holder declared what it writes: while a declared
// byte is on it). Writes to a page that is writable for another's sake are found at
// Released: the bytes that were not to be written are compared with a copy.
//
// # What was never touched
//
// A page of the program's mapping has no entry in the page table until the
// program touches it. So when data have arrived, the entries of their pages are
// dropped (the data stay), and at the end of the tenure /proc/self/pagemap says which
// have come back. The kernel maps up to 16 neighbours (64 KiB) along with a page that is
// read, so bytes that were not touched may be missed, but none is said to be
// untouched that was not; memory so short that the kernel takes pages away is the
// exception.
package guard
