package results

import "slices"

// Schema is of the document, which docs/json.md describes.
const Schema = "fagus.results/v1"

// Document is all that was collected.
type Document struct {
	Schema   string    `json:"schema"`
	Version  string    `json:"version"`
	Machine  string    `json:"machine"`
	CPUs     int       `json:"cpus"`
	Nodes    []int     `json:"nodes"` // of the simulated curves
	Programs []Program `json:"programs"`
	Rivals   []Rival   `json:"rivals"`
}

// Program is what was collected of one.
type Program struct {
	Name    string  `json:"name"`
	Checked []Check `json:"checked"`
	Curve   Curve   `json:"curve"`
	Race    *Race   `json:"race,omitempty"`
}

// Check is how a program's result was held against what is known, on every network.
type Check struct {
	Input    string `json:"input"`
	Runs     int    `json:"runs"` // those refused excepted
	Verified int    `json:"verified"`
	Refused  int    `json:"refused,omitempty"` // so many nodes are too many
	// Bits says how far results are the same bit for bit.
	Bits   Sameness `json:"bits"`
	Faults []string `json:"faults,omitempty"`

	seen map[string]map[int]bool // by result: on how many nodes
}

// Sameness is how far results are the same bit for bit.
type Sameness string

// The sorts of Sameness.
const (
	Unknown   Sameness = "unknown"        // the program does not say
	Differ    Sameness = "differ"         // even at equal node count
	SameNodes Sameness = "at equal nodes" // on every network, with every engine
	SameAll   Sameness = "everywhere"     // and node count
)

// Curve is a program on simulated nodes.
type Curve struct {
	Input  string  `json:"input"`
	Points []Point `json:"points"`
}

// Point is a number of nodes.
type Point struct {
	Nodes    int `json:"nodes"`
	Phase    Run `json:"phase"`
	Threaded Run `json:"threaded"`
}

// Race is a program on this machine, by the wall clock: the medians of rounds in which all took turns.
type Race struct {
	Input  string `json:"input"`
	Rounds int    `json:"rounds"`
	// Plain is the program without Fagus, and Crowd the same while another process runs it, too: no
	// program on two processors can gain more than 2 Plain/Crowd.
	Plain    int64 `json:"plain_ns"`
	Crowd    int64 `json:"crowd_ns"`
	One      int64 `json:"shm_1_ns"`
	Two      int64 `json:"shm_2_ns"`
	Threaded int64 `json:"shm_2_threaded_ns"`
	Inproc   int64 `json:"inproc_2_ns"`
	TCP      int64 `json:"tcp_2_ns"`
	// Waiting is the part of the time of both ranks that calls take, Two's.
	Waiting float64  `json:"waiting"`
	Faults  []string `json:"faults,omitempty"`
}

// Rival is two ways to do the same.
type Rival struct {
	What    string `json:"what"`
	Program string `json:"program"`
	InputA  string `json:"input_a"`
	InputB  string `json:"input_b"`
	A       Run    `json:"a"`
	B       Run    `json:"b"`
	Why     string `json:"why"`
}

// Faults are what went wrong: no page should be believed that has any.
func (d *Document) Faults() (faults []string) {
	for _, p := range d.Programs {
		for _, c := range p.Checked {
			faults = append(faults, c.Faults...)
			if c.Bits == Differ {
				faults = append(faults, p.Name+" "+c.Input+": results differ at equal node count")
			}
		}
		for _, point := range p.Curve.Points {
			for _, r := range []Run{point.Phase, point.Threaded} {
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

// text says what became of a run that has no result that is right.
func (r Run) text() string {
	if r.Fault == "" {
		return "verification failed"
	}
	return r.Fault
}

// Merge puts what newer has into the place of what d has of the same programs and rivals.
func (d *Document) Merge(newer *Document) {
	old := *d
	*d = *newer
	d.Programs, d.Rivals = nil, nil
	for _, e := range entries() {
		for _, from := range [][]Program{newer.Programs, old.Programs} {
			if i := slices.IndexFunc(from, func(p Program) bool { return p.Name == e.name }); i >= 0 {
				d.Programs = append(d.Programs, from[i])
				break
			}
		}
	}
	for _, v := range rivalries() {
		for _, from := range [][]Rival{newer.Rivals, old.Rivals} {
			if i := slices.IndexFunc(from, func(r Rival) bool { return r.What == v.what }); i >= 0 {
				d.Rivals = append(d.Rivals, from[i])
				break
			}
		}
	}
}
