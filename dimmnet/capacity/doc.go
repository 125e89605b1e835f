// Package capacity says whether memory can hold something, before it is allocated.
//
//	need := capacity.Product(8, n, n) // bytes, whatever n is
//	err := capacity.Left().Check(need)
//
// A process that asks Go for more memory than there is ends with a trace of all its goroutines,
// and one that exceeds the memory of its machine is killed by the kernel, or others are.
package capacity
