package runflags

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// display shows how far a run is on a writer, in a goroutine of its own: whoever says it does not
// wait for the writer.
type display struct {
	to    io.Writer
	text  func(*ProgressEvent) string
	stays bool // the text is the last line of a terminal, and the next one takes its place
	pace  pace // only draw uses it

	latest chan rollcall.Progress // at most one
	stop   sync.Once
	quit   chan struct{} // closed by end
	over   chan struct{} // closed when draw has returned

	mu    sync.Mutex // held while somebody writes
	drawn bool       // the last line is a bar
}

// start draws in a goroutine of its own, until end.
func (d *display) start() *display {
	d.latest, d.quit, d.over = make(chan rollcall.Progress, 1), make(chan struct{}), make(chan struct{})
	go d.draw()
	return d
}

// barPatience is how long the end of a run waits until a bar is off the terminal.
const barPatience = 100 * time.Millisecond

// show shows p soon, instead of what has not been shown yet. One goroutine calls it at a time.
func (d *display) show(p rollcall.Progress) {
	select {
	case <-d.latest:
	default:
	}
	select {
	case d.latest <- p:
	default: // another goroutine was faster
	}
}

func (d *display) draw() {
	defer close(d.over)
	for {
		select {
		case p := <-d.latest:
			text := d.text(d.pace.event(time.Now(), p))
			if d.stays {
				text = clearLine + text + " "
			}
			d.write(text, d.stays)
		case <-d.quit:
			d.write("", false)
			return
		}
	}
}

// clearLine goes to the begin of a terminal's line, and clears it.
const clearLine = "\r\x1b[K"

// write writes text instead of the bar, if there is one.
func (d *display) write(text string, bar bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.drawn && !bar {
		text = clearLine + text
	}
	if d.drawn = bar; text != "" {
		_, _ = io.WriteString(d.to, text) // whoever does not see it misses no result
	}
}

// Write writes lines above the bar.
func (d *display) Write(lines []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.drawn {
		d.drawn = false
		lines = append([]byte(clearLine), lines...)
		n, err := d.to.Write(lines)
		return max(0, n-len(clearLine)), err
	}
	return d.to.Write(lines)
}

// above is an output on the same terminal: what is written to it goes above the bar, too.
type above struct {
	*display
	out io.Writer
}

// Write implements io.Writer.
func (a *above) Write(text []byte) (int, error) {
	a.write("", false)
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.out.Write(text)
}

// end removes the bar, unless nobody reads. Nothing is shown afterwards.
func (d *display) end() {
	d.stop.Do(func() { close(d.quit) })
	select {
	case <-d.over:
	case <-time.After(barPatience):
	}
}

// ProgressSchema identifies a ProgressEvent.
const ProgressSchema = "fagus.progress/v1"

// ProgressEvent is a JSON document: how far a run is. docs/reference/json.md describes it.
type ProgressEvent struct {
	Schema  string `json:"schema"`
	Program string `json:"program"`
	// ElapsedNs is the time since the ranks began by the wall clock, LeftNs an estimate of the time
	// that is left; it is absent as long as nothing more is done.
	ElapsedNs int64    `json:"elapsed_ns"`
	LeftNs    *int64   `json:"left_ns,omitempty"`
	Done      int64    `json:"done"`
	Of        int64    `json:"of"`
	Fraction  float64  `json:"fraction"`
	PerSecond *float64 `json:"per_second,omitempty"`
	Nodes     int      `json:"nodes"`
	Ranks     int      `json:"ranks"` // that report progress
	Slowest   struct {
		Rank     int     `json:"rank"`
		Done     int64   `json:"done"`
		Of       int64   `json:"of"`
		Fraction float64 `json:"fraction"`
	} `json:"slowest"`
}

// pace turns what ranks say now into what that means: how fast the run is since this stage began.
// Another stage begins when they count up to another number, or begin again.
type pace struct {
	program string
	begun   time.Time
	first   rollcall.Progress // of the stage
	at      time.Time         // of first
	last    int64
}

func newPace(program string, begun time.Time) pace { return pace{program: program, begun: begun} }

func (p *pace) event(now time.Time, x rollcall.Progress) *ProgressEvent {
	if p.at.IsZero() || x.Of != p.first.Of || x.Done < p.last {
		p.first, p.at = x, now
	}
	p.last = x.Done
	e := &ProgressEvent{
		Schema: ProgressSchema, Program: p.program, ElapsedNs: now.Sub(p.begun).Nanoseconds(),
		Done: x.Done, Of: x.Of, Fraction: x.Fraction(), Nodes: x.Nodes, Ranks: x.Ranks,
	}
	e.Slowest.Rank, e.Slowest.Done, e.Slowest.Of, e.Slowest.Fraction = x.Slowest, x.SlowestDone, x.SlowestOf, x.SlowestFraction()
	if took := now.Sub(p.at).Seconds(); took > 0 && x.Done > p.first.Done {
		rate := float64(x.Done-p.first.Done) / took
		left := int64(min(float64(x.Of-x.Done)/rate*1e9, math.MaxInt64/2))
		e.PerSecond, e.LeftNs = &rate, &left
	}
	return e
}

// line returns the document in one line.
func (e *ProgressEvent) line() string {
	text, err := json.Marshal(e)
	if err != nil {
		panic(fmt.Sprintf("runflags: encoding progress: %v", err)) // numbers and a name
	}
	return string(text) + "\n"
}

// String returns a text such as "sor: 41 % (410 of 1000) after 2m0s, 3.4/s, 2m53s left; slowest:
// rank 3 at 40 %".
func (e *ProgressEvent) String() string {
	text := fmt.Sprintf("%s: %s (%d of %d) after %v", e.Program, percent(e.Fraction), e.Done, e.Of, short(e.ElapsedNs))
	for _, part := range e.tail() {
		text += part
	}
	return text
}

// tail returns the rate with the time that is left, and the slowest rank, as far as known.
func (e *ProgressEvent) tail() (parts []string) {
	if e.PerSecond != nil {
		parts = append(parts, fmt.Sprintf(", %s/s, %v left", rateText(*e.PerSecond), short(*e.LeftNs)))
	}
	if e.Ranks > 1 {
		parts = append(parts, fmt.Sprintf("; slowest: rank %d at %s", e.Slowest.Rank, percent(e.Slowest.Fraction)))
	}
	return parts
}

// bar returns a line of at most width characters: as much beside the bar as fits.
func (e *ProgressEvent) bar(width int) string {
	const shortest, longest = 6, 40
	text := fmt.Sprintf(" %s (%d/%d)", percent(e.Fraction), e.Done, e.Of)
	room := func() int { return width - len(e.Program) - len(" []") - len(text) }
	for _, part := range e.tail() {
		if room()-len(part) >= shortest {
			text += part
		}
	}
	line := e.Program
	if room := min(longest, room()); room >= shortest {
		full := int(e.Fraction * float64(room))
		line += " [" + strings.Repeat("=", full) + strings.Repeat(" ", room-full) + "]"
	}
	runes := []rune(line + text)
	return string(runes[:max(0, min(len(runes), width))])
}

func percent(fraction float64) string { return fmt.Sprintf("%.0f %%", rollcall.Percent(fraction)) }

// short returns a duration in whole seconds, or with three digits below 10 s.
func short(ns int64) time.Duration {
	d := time.Duration(ns)
	if d < 10*time.Second {
		return d.Round(10 * time.Millisecond)
	}
	return d.Round(time.Second)
}

// rateText returns a rate with three digits.
func rateText(v float64) string {
	unit := ""
	for _, u := range []string{"k", "M", "G", "T"} {
		if v < 999.5 {
			break
		}
		v, unit = v/1000, u
	}
	return fmt.Sprintf("%.3g%s", v, unit)
}

// throttled returns show for at most one call in every interval, and for the first after it.
func throttled(every time.Duration, show func(rollcall.Progress)) func(rollcall.Progress) {
	last := time.Now()
	return func(p rollcall.Progress) {
		if now := time.Now(); now.Sub(last) >= every {
			last = now
			show(p)
		}
	}
}
