package region

import "slices"

// fold is a set of accesses to an array that is seen as a matrix with rows of width elements. A
// column of a matrix in rows is many short runs of the array, but one rectangle of its fold.
type fold struct {
	width, length int
	rects         []rect // in the order of steps, then ranks
}

// rect is the product of the rows y0 to y1-1 and of count runs of a row. The first run starts at x;
// runs start stride elements after each other.
type rect struct {
	y0, y1                int
	x, run, count, stride int
	step, rank            int32
	does                  touch
}

func (r *rect) area() int { return (r.y1 - r.y0) * r.run * r.count }

func (r *rect) sameShape(o *rect) bool {
	return r.y0 == o.y0 && r.y1 == o.y1 && r.x == o.x && r.run == o.run && r.count == o.count && r.stride == o.stride
}

// contains reports whether o is a subset of r. It may say false of a subset with another stride.
func (r *rect) contains(o *rect) bool {
	d := o.x - r.x
	switch {
	case o.y0 < r.y0 || o.y1 > r.y1 || d < 0:
		return false
	case r.count == 1:
		return d+(o.count-1)*o.stride+o.run <= r.run
	case o.count > 1 && o.stride != r.stride:
		return false
	}
	return d%r.stride+o.run <= r.run && d/r.stride+o.count <= r.count
}

// fold folds the entries so that little work remains. A fold with about the same work as the array
// itself is better, because the planner needs memory for the runs of one band at a time.
func (r *record) fold() *fold {
	best := &fold{width: max(r.length, 1), length: r.length}
	work := 0 // number of runs
	var widths []int
	for i := range r.entries {
		e := &r.entries[i]
		work += e.rows * e.count
		for _, w := range []int{e.stride, e.pitch} {
			const tried, rows = 3, 1 << 18
			if e.rows*e.count > 1 && r.length/rows < w && 1 < w && w < r.length && len(widths) < tried && !slices.Contains(widths, w) {
				widths = append(widths, w)
			}
		}
	}
	const little = 4
	if work > little*len(r.entries) {
		work += work / 8
		for _, w := range widths {
			f := &fold{width: w, length: r.length}
			if f.addAll(r.entries, little*len(r.entries)) {
				if more := f.work(); more < work {
					best, work = f, more
				}
			}
		}
	}
	if best.rects == nil {
		best.addAll(r.entries, work+len(r.entries))
	}
	return best
}

// addAll adds entries. It returns false when there are more than most rectangles.
func (f *fold) addAll(entries []entry, most int) bool {
	f.rects = make([]rect, 0, len(entries))
	for i := range entries {
		e := &entries[i]
		f.add(e.piece, rect{step: e.step, rank: e.rank, does: e.does})
		if len(f.rects) > most {
			return false
		}
	}
	return true
}

// divide returns the rows in which bands begin, and the row after the last band, of rectangles. All
// rows of a band belong to the same rectangles.
func (f *fold) divide(lists ...[]rect) (bands []int) {
	border := make([]bool, f.length/f.width+2)
	for _, rects := range lists {
		for i := range rects {
			border[rects[i].y0], border[rects[i].y1] = true, true
		}
	}
	for y, is := range border {
		if is {
			bands = append(bands, y)
		}
	}
	return bands
}

// work returns the number of runs of the rectangles in all bands.
func (f *fold) work() (runs int) {
	bands := f.divide(f.rects)
	for i := range f.rects {
		r := &f.rects[i]
		first, _ := slices.BinarySearch(bands, r.y0)
		end, _ := slices.BinarySearch(bands, r.y1)
		runs += r.count * (end - first)
	}
	return runs
}

// add adds the elements of p that are in the array as rectangles like as.
func (f *fold) add(p piece, as rect) {
	if p.lo >= 0 && p.end() <= f.length {
		f.cut(p, as)
		return
	}
	p.each([]Interval{{0, f.length}}, func(i Interval, _ int) bool {
		f.cut(piece{i.Lo, i.Hi - i.Lo, 1, 1, 1, 1}, as)
		return true
	})
}

// cut cuts p into rectangles, as large as possible.
func (f *fold) cut(p piece, as rect) {
	if p.rows == 1 && p.count > 1 && p.stride%f.width == 0 { // a column: its runs are rows
		p.rows, p.pitch, p.count, p.stride = p.count, p.stride, 1, 1
	} else if p.count == 1 && p.rows > 1 && p.pitch%f.width != 0 {
		p.rows, p.pitch, p.count, p.stride = 1, 1, p.rows, p.pitch
	}
	y, x := p.lo/f.width, p.lo%f.width
	switch {
	case p.rows > 1 && p.pitch != f.width && p.pitch%f.width != 0 && p.count < p.rows:
		p.rows, p.pitch, p.count, p.stride = p.count, p.stride, p.rows, p.pitch
		f.cutRows(p, as)
	case p.rows > 1 && p.pitch != f.width:
		f.cutRows(p, as)
	case x+p.length() <= f.width:
		as.y0, as.y1, as.x, as.run, as.count, as.stride = y, y+p.rows, x, p.run, p.count, p.stride
		f.rects = append(f.rects, as)
	case p.count > 1:
		for k := range p.count {
			f.cut(piece{p.lo + k*p.stride, p.run, 1, 1, p.rows, p.pitch}, as)
		}
	default: // a run that continues in the next row
		head := f.width - x
		if x == 0 {
			head = p.run / f.width * f.width
			as.y0, as.y1, as.x, as.run, as.count, as.stride = y, y+head/f.width, 0, f.width, 1, 1
			f.rects = append(f.rects, as)
		} else {
			f.cut(piece{p.lo, head, 1, 1, p.rows, p.pitch}, as)
		}
		if p.run > head {
			f.cut(piece{p.lo + head, p.run - head, 1, 1, p.rows, p.pitch}, as)
		}
	}
}

func (f *fold) cutRows(p piece, as rect) {
	for k := range p.rows {
		f.cut(piece{p.lo + k*p.pitch, p.run, p.count, p.stride, 1, 1}, as)
	}
}

// recent returns one of the last rectangles, if it has the same shape and step as r.
func (f *fold) recent(r *rect) *rect {
	const last = 8
	for i := len(f.rects) - 1; i >= max(0, len(f.rects)-last) && f.rects[i].step == r.step; i-- {
		if f.rects[i].sameShape(r) {
			return &f.rects[i]
		}
	}
	return nil
}

// sweep goes through the rectangles of a fold from the first row to the last.
type sweep struct {
	rects  []rect
	starts []int32 // indexes of the rectangles in the order of their first rows
	active []int32 // indexes of the rectangles of the current row, sorted
}

func newSweep(rects []rect) *sweep {
	s := &sweep{rects: rects, starts: make([]int32, len(rects))}
	rows := 0
	for i := range rects {
		rows = max(rows, rects[i].y0+1)
	}
	first := make([]int32, rows+1) // by row: index in starts
	for i := range rects {
		first[rects[i].y0+1]++
	}
	for y := range rows {
		first[y+1] += first[y]
	}
	for i := range rects {
		at := &first[rects[i].y0]
		s.starts[*at] = int32(i)
		*at++
	}
	return s
}

// to returns the indexes of the rectangles in row y, sorted. It must be called for the first row of
// each band, in order.
func (s *sweep) to(y int) []int32 {
	s.active = slices.DeleteFunc(s.active, func(i int32) bool { return s.rects[i].y1 <= y })
	n := 0
	for n < len(s.starts) && s.rects[s.starts[n]].y0 <= y {
		n++
	}
	old, more := len(s.active)-1, s.starts[:n]
	s.starts = s.starts[n:]
	s.active = append(s.active, more...)
	for k := len(s.active) - 1; n > 0; k-- { // merges the sorted lists, from the end
		if old >= 0 && s.active[old] > more[n-1] {
			s.active[k] = s.active[old]
			old--
		} else {
			s.active[k] = more[n-1]
			n--
		}
	}
	return s.active
}
