package consistency

// forget prepares the pages of v. If that fails there are no Pages any more: what has begun
// with them compares all.
func (s *Space) forget(v *variable) (ok bool) {
	for _, r := range v.ranges {
		if s.detector.pages.Forget(s.Bytes(r)) != nil {
			s.detector.pages = nil
			return false
		}
	}
	return true
}

// suspects lists the parts of r, a range of v, that may have been written, whole blocks
// but the last. The list is good until the next call.
func (s *Space) suspects(v *variable, r Range) []Range {
	d := &s.detector
	if v.way != DetectKernel || d.pages == nil || s.said(r) != nil {
		d.suspects = append(d.suspects[:0], r)
	}
	return d.suspects
}

// said is the suspects in r by what the pages say. After an error it is nothing in particular.
func (s *Space) said(r Range) error {
	d := &s.detector
	d.suspects = d.suspects[:0]
	return d.pages.Written(s.Bytes(r), func(lo, hi int) {
		// Blocks count from the start of the range, as in a comparison of all of it, and
		// so the differences are the same.
		p := Range{r.Lo + Addr(lo/diffBlock*diffBlock), min(r.Lo+Addr((hi+diffBlock-1)/diffBlock*diffBlock), r.Hi)}
		if n := len(d.suspects); n > 0 && d.suspects[n-1].Hi >= p.Lo {
			d.suspects[n-1].Hi = p.Hi
		} else {
			d.suspects = append(d.suspects, p)
		}
	})
}

// compare finds what the tenure of v, which ends, has written. The list is good until
// the next call.
func (s *Space) compare(v *variable) []Range {
	looked, changed := 0, s.detector.changed[:0]
	for i, r := range v.ranges {
		for _, p := range s.suspects(v, r) {
			at := v.at[i] + int(p.Lo-r.Lo)
			changed = appendDiff(changed, p.Lo, s.Bytes(p), v.twin.copy[at:at+p.Len()], v.twin.kept)
			looked += p.Len()
		}
	}
	switch v.way {
	case DetectKernel:
		v.written(looked) // what was looked at are the pages that were written
	case DetectKept:
		v.written(pageBytes(changed))
	}
	s.detector.changed = changed
	return changed
}

// pageBytes is the size of all pages on which ranges lie, which are in order.
func pageBytes(ranges []Range) (n int) {
	end := Addr(0)
	for _, r := range ranges {
		lo, hi := max(r.Lo&^(PageBytes-1), end), (r.Hi+PageBytes-1)&^(PageBytes-1)
		if lo < hi {
			n += int(hi - lo)
			end = hi
		}
	}
	return n
}

// accepted records that other ranks have written pieces.
func (v *variable) accepted(pieces []Piece) {
	if v.twin.kept {
		for _, p := range pieces {
			v.stale(p.Range)
		}
	}
}
