package consistency

import "bytes"

const (
	// diffBlock is how much is compared at once, and so the longest unchanged
	// gap that travels along (twice less a word). A slot's header, flags and
	// polls cost as much as reading some 64 bytes from an LLCM.
	diffBlock = 64
	diffWord  = 8
)

// appendDiff appends the ranges in which mem, which begins at base, differs
// from twin. Both have the same length.
func appendDiff(out []Range, base Addr, mem, twin []byte) []Range {
	for lo := 0; lo < len(mem); {
		hi := min(lo+diffBlock, len(mem))
		if bytes.Equal(mem[lo:hi], twin[lo:hi]) {
			lo = hi
			continue
		}
		for hi < len(mem) {
			next := min(hi+diffBlock, len(mem))
			if bytes.Equal(mem[hi:next], twin[hi:next]) {
				break
			}
			hi = next
		}
		first, last := trim(mem[lo:hi], twin[lo:hi])
		out = append(out, Range{base + Addr(lo+first), base + Addr(lo+last)})
		lo = hi
	}
	return out
}

// trim narrows a difference to whole words, counted from the start of a and b,
// which differ.
func trim(a, b []byte) (first, last int) {
	last = len(a)
	for bytes.Equal(a[first:first+min(diffWord, last-first)], b[first:first+min(diffWord, last-first)]) {
		first += diffWord
	}
	for {
		word := (last - 1) / diffWord * diffWord // where the last word begins
		if word <= first || !bytes.Equal(a[word:last], b[word:last]) {
			return first, last
		}
		last = word
	}
}
