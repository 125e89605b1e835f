package consistency

import "bytes"

const (
	// diffBlock is the number of bytes that are compared at once. An unchanged gap within a range
	// that is sent is shorter than 2*diffBlock - diffWord bytes. The header, flags and polls of a
	// slot cost as much as reading about 64 bytes from an LLCM.
	diffBlock = 64
	diffWord  = 8    // bytes; ranges are trimmed to such words
	diffSkip  = 4096 // bytes that are compared at once before the first difference
)

// appendDiff appends the ranges in which mem, which begins at base, differs from twin. If keep is
// true it copies them to twin. mem and twin have the same length.
func appendDiff(out []Range, base Addr, mem, twin []byte, keep bool) []Range {
	if len(mem) <= diffWord && !keep { // as below, in a third of the time
		if !bytes.Equal(mem, twin) {
			out = append(out, Range{base, base + Addr(len(mem))})
		}
		return out
	}
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
			if keep { // now, while the block is in the cache
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

// unchanged returns the offset of the first block in which a and b differ, or their length.
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

// firstWord returns the offset of the first word in which a and b differ. a and b must differ.
func firstWord(a, b []byte) int {
	first := 0
	for bytes.Equal(a[first:first+min(diffWord, len(a)-first)], b[first:first+min(diffWord, len(a)-first)]) {
		first += diffWord
	}
	return first
}

// lastWord returns the end of the last word in which a and b differ. a and b must differ.
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
