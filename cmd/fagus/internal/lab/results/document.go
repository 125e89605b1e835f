package results

import "slices"

// Schema identifies the document, which docs/reference/json.md describes.
const Schema = "fagus.results/v1"

// Document is the result of Collect.
type Document struct {
	Schema   string    `json:"schema"`
	Version  string    `json:"version"`
	Machine  string    `json:"machine"`
	CPUs     int       `json:"cpus"`
	Nodes    []int     `json:"nodes"` // node counts of the simulated curves
	Programs []Program `json:"programs"`
	Rivals   []Rival   `json:"rivals"`
}

// Program is the results of one program.
type Program struct {
	Name    string  `json:"name"`
	Checked []Check `json:"checked"`
	Curve   Curve   `json:"curve"`
	Race    *Race   `json:"race,omitempty"`
}

// Check counts the runs of a program, over all networks, modes and node counts, by their result.
type Check struct {
	Input    string `json:"input"`
	Runs     int    `json:"runs"` // all runs except refused ones
	Verified int    `json:"verified"`
	Refused  int    `json:"refused,omitempty"` // runs that the program refused for their node count
	// Bits tells which runs had results that are equal bit for bit.
	Bits   Sameness `json:"bits"`
	Faults []string `json:"faults,omitempty"`

	seen map[int]string // the bits of the last result, by nodes
}

// Sameness tells which runs have results that are equal bit for bit.
type Sameness string

const (
	Unknown   Sameness = "unknown"        // the program does not report bits
	Differ    Sameness = "differ"         // some runs with equal node counts differ
	SameNodes Sameness = "at equal nodes" // all runs with equal node counts agree
	SameAll   Sameness = "everywhere"     // all runs agree
)

// Curve has the times of a program on simulated nodes.
type Curve struct {
	Input  string  `json:"input"`
	Points []Point `json:"points"`
}

// Point has the runs with one number of nodes.
type Point struct {
	Nodes    int `json:"nodes"`
	Phase    Run `json:"phase"`
	Threaded Run `json:"threaded"`
}

// runs returns the runs by mode, in the order of modes.
func (p *Point) runs() []*Run { return []*Run{&p.Phase, &p.Threaded} }

// Race has the wall-clock times of a program's variants on this machine. The variants take turns,
// and each time is the median over all rounds.
type Race struct {
	Input  string `json:"input"`
	Rounds int    `json:"rounds"`
	// Plain is the time of the program without Fagus. Crowd is this time while another process
	// runs the same program. On two processors, no program can be faster than Plain by more than
	// the factor 2 Plain/Crowd.
	Plain    int64 `json:"plain_ns"`
	Crowd    int64 `json:"crowd_ns"`
	One      int64 `json:"shm_1_ns"`
	Two      int64 `json:"shm_2_ns"`
	Threaded int64 `json:"shm_2_threaded_ns"`
	Inproc   int64 `json:"inproc_2_ns"`
	TCP      int64 `json:"tcp_2_ns"`
	// Waiting is the fraction of both ranks' time spent in calls of Fagus, in the runs of Two.
	Waiting float64  `json:"waiting"`
	Faults  []string `json:"faults,omitempty"`
}

// Rival compares two inputs that solve the same problem.
type Rival struct {
	What    string `json:"what"`
	Program string `json:"program"`
	InputA  string `json:"input_a"`
	InputB  string `json:"input_b"`
	A       Run    `json:"a"`
	B       Run    `json:"b"`
	Why     string `json:"why"`
}

// Faults describes all failures. A page with failures must not be trusted.
func (d *Document) Faults() (faults []string) {
	for _, p := range d.Programs {
		for _, c := range p.Checked {
			faults = append(faults, c.Faults...)
			if c.Bits == Differ {
				faults = append(faults, p.Name+" "+c.Input+": results differ at equal node count")
			}
		}
		for _, point := range p.Curve.Points {
			for _, r := range point.runs() {
				if r.wrong() {
					faults = append(faults, p.Name+" "+p.Curve.Input+": "+r.text())
				}
			}
		}
		if p.Race != nil {
			faults = append(faults, p.Race.Faults...)
		}
	}
	for _, r := range d.Rivals {
		for _, run := range []Run{r.A, r.B} {
			if run.wrong() {
				faults = append(faults, r.What+": "+run.text())
			}
		}
	}
	return faults
}

// text describes why a run has no right result.
func (r Run) text() string {
	if r.Fault == "" {
		return "verification failed"
	}
	return r.Fault
}

// Merge replaces d by newer, but keeps the programs and rivals that only the old d has.
func (d *Document) Merge(newer *Document) {
	old := *d
	*d = *newer
	d.Programs, d.Rivals = nil, nil
	for _, e := range entries() {
		named := func(p Program) bool { return p.Name == e.name }
		i, j := slices.IndexFunc(newer.Programs, named), slices.IndexFunc(old.Programs, named)
		if i >= 0 {
			d.Programs = append(d.Programs, newer.Programs[i])
		} else if j >= 0 {
			d.Programs = append(d.Programs, old.Programs[j])
		}
		if i >= 0 && j >= 0 && len(newer.Programs[i].Checked) == 0 { // only simulated
			p := &d.Programs[len(d.Programs)-1]
			p.Checked, p.Race = old.Programs[j].Checked, old.Programs[j].Race
		}
	}
	all := slices.Concat(newer.Rivals, old.Rivals)
	for _, v := range rivalries() {
		if i := slices.IndexFunc(all, func(r Rival) bool { return r.What == v.what }); i >= 0 {
			d.Rivals = append(d.Rivals, all[i])
		}
	}
}
