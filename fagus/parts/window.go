package parts

import (
	"math/bits"
)

// window is the part of an Exact that travels: words of 64 bits in two's complement, starting at
// limb lo. A sum of ordinary numbers has 2 or 3 words; all limbs would take 34.
type window struct{ lo, words int }

// end returns the limb behind the window.
func (w window) end() int { return w.lo + 2*w.words }

// union returns a window that has all limbs of both windows.
func (w window) union(v window) window {
	switch {
	case w.words == 0:
		return v
	case v.words == 0:
		return w
	}
	return windowOf(min(w.lo, v.lo), max(w.end(), v.end()))
}

func windowOf(lo, end int) window { return window{lo, (end - lo + 1) / 2} }

// window returns the smallest window that holds e with spare bits above it, or the empty one if e
// is 0. e must have no carries to propagate.
func (e *Exact) window(spare int) window {
	lo := 0
	for lo < exactLimbs && e.limbs[lo] == 0 {
		lo++
	}
	if lo == exactLimbs {
		return window{}
	}
	sign, hi := e.sign(), exactLimbs-1
	for hi > lo && uint32(e.limbs[hi]) == sign {
		hi--
	}
	// One bit more for the sign.
	top := limbBits*(hi-lo) + bits.Len32(uint32(e.limbs[hi])^sign) + 1 + spare
	return window{lo, (top + 63) / 64}
}

// sign returns a limb above all others: all ones if e is negative, otherwise 0.
func (e *Exact) sign() uint32 { return uint32(e.limbs[exactLimbs-1] >> limbBits) }

// contains reports whether w has all limbs of v.
func (w window) contains(v window) bool {
	return v.words == 0 || w.lo <= v.lo && v.end() <= w.end()
}

// appendWords appends the words of e in w, which contains the window of e.
func (e *Exact) appendWords(to []uint64, w window) []uint64 {
	limb := func(i int) uint64 {
		if i >= exactLimbs {
			return uint64(e.sign())
		}
		return uint64(uint32(e.limbs[i]))
	}
	for i := w.lo; i < w.end(); i += 2 {
		to = append(to, limb(i)|limb(i+1)<<limbBits)
	}
	return to
}

// setWords sets the limbs of e to the words of a window. It undoes appendWords.
func (e *Exact) setWords(w window, words []uint64) {
	clear(e.limbs[:])
	e.adds = 1
	if w.words == 0 {
		return
	}
	sign := int64(words[w.words-1]) >> 63
	for i := w.lo; i < exactLimbs; i++ {
		word := uint64(sign)
		if i < w.end() {
			word = words[(i-w.lo)/2] >> ((i - w.lo) % 2 * limbBits)
		}
		e.limbs[i] = int64(uint32(word))
	}
	last := &e.limbs[exactLimbs-1]
	*last = int64(int32(*last))
}

// addWords adds the numbers in y to those in x, which have the same windows.
func addWords(x, y []uint64, windows []window) {
	for _, w := range windows {
		carry := uint64(0)
		for i := range w.words {
			x[i], carry = bits.Add64(x[i], y[i], carry)
		}
		x, y = x[w.words:], y[w.words:]
	}
}
