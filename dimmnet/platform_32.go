//go:build 386 || arm || mips || mipsle

package dimmnet

// Lengths in bytes, addresses of 48 bits, and the sum of an Offset and a length are ints.
const _ = fagusNeedsA64BitPlatform
