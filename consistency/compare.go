package consistency

// track makes Pages forget the writes to v before its tenure. If Pages fails, the Space no longer
// uses it, and the tenures that began with Pages compare all bytes.
func (s *Space) track(v *copyState) (ok bool) {
	for _, r := range v.ranges {
		if s.detector.pages.Forget(s.Bytes(r)) != nil {
			s.detector.pages = nil
			return false
		}
	}
	return true
}

// suspects returns the parts of r, a range of v, that the tenure may have written. All blocks of a
// part but the last are whole. The result is valid until the next call.
func (s *Space) suspects(v *copyState, r Range) []Range {
	d := &s.detector
	if v.detection != DetectKernel || d.pages == nil || s.writtenBlocks(r) != nil {
		d.suspects = append(d.suspects[:0], r)
	}
	return d.suspects
}

// writtenBlocks sets detector.suspects to the blocks of r on written pages.
func (s *Space) writtenBlocks(r Range) error {
	d := &s.detector
	d.suspects = d.suspects[:0]
	return d.pages.Written(s.Bytes(r), func(lo, hi int) {
		// Blocks count from the start of the range, as in a comparison of the whole
		// range. So the differences are the same.
		p := Range{r.Lo + Addr(lo/diffBlock*diffBlock), min(r.Lo+Addr((hi+diffBlock-1)/diffBlock*diffBlock), r.Hi)}
		if n := len(d.suspects); n > 0 && d.suspects[n-1].Hi >= p.Lo {
			d.suspects[n-1].Hi = p.Hi
		} else {
			d.suspects = append(d.suspects, p)
		}
	})
}

func (s *Space) compare(v *copyState) []Range {
	compared, changed := 0, s.detector.changed[:0]
	for i, r := range v.ranges {
		for _, p := range s.suspects(v, r) {
			at := v.at[i] + int(p.Lo-r.Lo)
			changed = appendDiff(changed, p.Lo, s.Bytes(p), v.twin.copy[at:at+p.Len()], v.twin.kept)
			compared += p.Len()
		}
	}
	s.detector.compared += compared
	switch v.detection {
	case DetectKernel:
		v.written(compared) // only written pages were compared
	case DetectKept:
		v.written(pageBytes(changed))
	}
	s.detector.changed = changed
	return changed
}

// pageBytes returns the total size, in bytes, of the pages that ranges, by address, touch.
func pageBytes(ranges []Range) (n int) {
	end := Addr(0)
	for _, r := range ranges {
		if lo, hi := max(r.Lo&^(PageBytes-1), end), (r.Hi+PageBytes-1)&^(PageBytes-1); lo < hi {
			n += int(hi - lo)
			end = hi
		}
	}
	return n
}

// accepted marks the pages of v's kept twin that pieces have made outdated, if there is a twin.
func (v *copyState) accepted(pieces []Piece) {
	if v.twin.kept {
		for _, p := range pieces {
			v.stale(p.Range)
		}
	}
}
