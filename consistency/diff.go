package consistency

import "bytes"

const (
	// diffBlock is how much is compared at once, and so the longest unchanged
	// gap that travels along (twice less a word). A slot's header, flags and
	// polls cost as much as reading some 64 bytes from an LLCM.
	diffBlock = 64
	diffWord  = 8
	diffSkip  = 4096 // what is unchanged is passed by in such steps
)

// appendDiff appends the ranges in which mem, which begins at base, differs
// from twin, and copies them to it if keep is true. Both have the same length.
func appendDiff(out []Range, base Addr, mem, twin []byte, keep bool) []Range {
	for lo := 0; lo < len(mem); {
		lo += unchanged(mem[lo:], twin[lo:])
		if lo == len(mem) {
			break
		}
		hi := min(lo+diffBlock, len(mem))
		first := lo + firstWord(mem[lo:hi], twin[lo:hi])
		for hi < len(mem) {
			next := min(hi+diffBlock, len(mem))
			if bytes.Equal(mem[hi:next], twin[hi:next]) {
				break
			}
			if keep { // while it is in the cache
				copy(twin[lo:hi], mem[lo:hi])
			}
			lo, hi = hi, next
		}
		last := lo + lastWord(mem[lo:hi], twin[lo:hi])
		if keep {
			copy(twin[lo:hi], mem[lo:hi])
		}
		out = append(out, Range{base + Addr(first), base + Addr(last)})
		lo = hi
	}
	return out
}

// unchanged is where the first block begins in which a and b differ, or their length.
func unchanged(a, b []byte) int {
	at := 0
	for at < len(a) {
		if n := min(diffSkip, len(a)-at); bytes.Equal(a[at:at+n], b[at:at+n]) {
			at += n
			continue
		}
		for {
			n := min(diffBlock, len(a)-at)
			if !bytes.Equal(a[at:at+n], b[at:at+n]) {
				return at
			}
			at += n
		}
	}
	return at
}

// firstWord is where the first whole word begins, counted from the start of a and b, in
// which they differ. They do.
func firstWord(a, b []byte) int {
	first := 0
	for bytes.Equal(a[first:first+min(diffWord, len(a)-first)], b[first:first+min(diffWord, len(a)-first)]) {
		first += diffWord
	}
	return first
}

// lastWord is where the last such word ends.
func lastWord(a, b []byte) int {
	last := len(a)
	for {
		word := (last - 1) / diffWord * diffWord
		if !bytes.Equal(a[word:last], b[word:last]) {
			return last
		}
		last = word
	}
}
