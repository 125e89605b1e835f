package fagus

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Sizes of the picture that Timeline draws, in pixels.
const (
	timelineLeft   = 56  // for the ranks
	timelineWidth  = 800 // for the bars
	timelineTop    = 34  // for the legend
	timelineBottom = 44  // for the axis
	timelineMost   = 1400
	timelineRight  = 40  // for the last number of the axis
	timelineUsage  = 118 // beside it, for the processor time of each process
	timelineStrip  = 64  // of that, for what it has got of its time
)

// Timeline draws the run as an SVG picture: a row for each rank, coloured by the part that the rank
// spent its time on. In a column that is half a pixel wide, the part with the most time counts.
// Where the system counts it, a strip beside the rows of a process shows which share of the time of
// its ranks it had a processor, or waited for one. The run must have had Config.Timeline set.
func (r Report) Timeline(w io.Writer) error {
	end := Time(0)
	cut := 0
	for i := range r.Ranks {
		spans := r.Ranks[i].Spans
		if len(spans) > 0 {
			end = max(end, spans[len(spans)-1].To)
		}
		if len(spans) == MaxSpans {
			cut++
		}
	}
	if end == 0 {
		return errors.New("fagus: Timeline: the run has recorded no times: set Config.Timeline")
	}
	row := max(3, min(26, timelineMost/len(r.Ranks)))
	height, width := timelineTop+row*len(r.Ranks)+timelineBottom, timelineLeft+timelineWidth+timelineRight
	processes := r.processes(false)
	if processes != nil {
		width += timelineUsage
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" font-family="system-ui, 'DejaVu Sans', Arial, sans-serif" font-size="12">`+"\n",
		width, height)
	fmt.Fprintf(out, `<rect width="100%%" height="100%%" fill="white"/>`+"\n")
	x := timelineLeft
	for part := range Parts {
		fmt.Fprintf(out, `<rect x="%d" y="9" width="12" height="12" fill="#%06x"/><text x="%d" y="19">%v</text>`+"\n", x, part.Color(), x+17, part)
		x += 84
	}
	for i := range r.Ranks {
		y := timelineTop + i*row
		if row >= 12 || i%16 == 0 {
			fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="end">rank %d</text>`+"\n", timelineLeft-6, y+(row+9)/2, r.Ranks[i].Rank)
		}
		drawSpans(out, r.Ranks[i].Spans, end, y, max(2, row-row/5))
	}
	drawUsage(out, processes, row)
	drawAxis(out, end, timelineTop+row*len(r.Ranks), fmt.Sprintf("%s time", r.Clock), cut)
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

// drawSpans draws one row. It fills each column by the part that has the most time there.
func drawSpans(out io.Writer, spans []Span, end Time, y, height int) {
	const columns = 2 * timelineWidth
	width := float64(end) / columns
	var shares [columns][Parts]float64
	for _, s := range spans {
		from, to := float64(s.From)/width, float64(s.To)/width
		for c := int(from); c < columns && float64(c) < to; c++ {
			shares[c][s.Part] += min(to, float64(c+1)) - max(from, float64(c))
		}
	}
	most := func(c int) Part {
		best := Parts
		share := 0.0
		for part, s := range shares[c] {
			if s > share {
				best, share = Part(part), s
			}
		}
		return best
	}
	for c := 0; c < columns; {
		part, first := most(c), c
		for c < columns && most(c) == part {
			c++
		}
		if part < Parts {
			fmt.Fprintf(out, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="#%06x"/>`+"\n", timelineLeft+float64(first)/2, y, float64(c-first)/2, height, part.Color())
		}
	}
}

// drawUsage draws a strip for each process beside the rows of its ranks: the share of their time
// in which it had a processor, waited for one, and did neither. Threads beside those of the ranks
// count, too, so a share ends at the end of the strip.
func drawUsage(out io.Writer, all []process, row int) {
	if all == nil {
		return
	}
	const x, got, waited, neither = timelineLeft + timelineWidth + timelineRight, "#404040", "#e08a8a", "#ececec"
	fmt.Fprintf(out, `<text x="%d" y="19">processor</text>`+"\n", x)
	last := 0 // row
	for i := range all {
		p := &all[i]
		y, height := timelineTop+p.first*row, p.Ranks*row-row/5
		last = max(last, p.first+p.Ranks)
		had := min(1, float64(p.Got)/float64(max(1, p.total)))
		wanted := min(1, float64(max(p.Got, p.Wanted))/float64(max(1, p.total)))
		fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", x, y, timelineStrip, max(2, height), neither)
		fmt.Fprintf(out, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", x, y, timelineStrip*wanted, max(2, height), waited)
		fmt.Fprintf(out, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", x, y, timelineStrip*had, max(2, height), got)
		if p.Ranks*row >= 12 || p.first%16 == 0 {
			fmt.Fprintf(out, `<text x="%d" y="%d">%.0f %%</text>`+"\n", x+timelineStrip+6, y+(p.Ranks*row+9)/2, 100*float64(p.Got)/float64(max(1, p.total)))
		}
	}
	for i, is := range []struct{ colour, text string }{{got, "got"}, {waited, "waited for one"}} {
		y := timelineTop + last*row + 7 + 16*i
		fmt.Fprintf(out, `<rect x="%d" y="%d" width="12" height="12" fill="%s"/><text x="%d" y="%d">%s</text>`+"\n", x, y, is.colour, x+17, y+10, is.text)
	}
}

// drawAxis draws the axis of time with at most nine ticks at multiples of 1, 2 or 5 x 10^n.
func drawAxis(out io.Writer, end Time, y int, name string, cut int) {
	unit, in := dimmnet.Nanosecond, "ns"
	for _, larger := range []struct {
		unit Time
		name string
	}{{dimmnet.Microsecond, "us"}, {dimmnet.Millisecond, "ms"}, {dimmnet.Second, "s"}} {
		if end >= larger.unit {
			unit, in = larger.unit, larger.name
		}
	}
	last := float64(end) / float64(unit)
	step := math.Pow(10, math.Floor(math.Log10(last/8)))
	for _, factor := range []float64{2, 2.5, 2} {
		if last/step <= 8 {
			break
		}
		step *= factor
	}
	fmt.Fprintf(out, `<path d="M%d %d h%d" stroke="black"/>`+"\n", timelineLeft, y+2, timelineWidth)
	for i := 0; float64(i)*step <= last; i++ {
		x := timelineLeft + float64(i)*step/last*timelineWidth
		fmt.Fprintf(out, `<path d="M%.1f %d v4" stroke="black"/><text x="%.1f" y="%d" text-anchor="middle">%.4g</text>`+"\n", x, y+2, x, y+19, float64(i)*step)
	}
	text := name + " (" + in + ")"
	if cut > 0 {
		text += fmt.Sprintf("; %s changed its part more than %d times, and the later changes are missing", count(cut, "rank"), MaxSpans)
	}
	fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", timelineLeft+timelineWidth/2, y+37, text)
}

// Color returns the colour of a part in pictures such as that of Report.Timeline: 0xRRGGBB.
func (p Part) Color() uint32 {
	return [Parts]uint32{0x4c9f70, 0x2f6db5, 0xe0b030, 0xd05a3c, 0x8a5fa8, 0xb8b8b8}[p]
}
