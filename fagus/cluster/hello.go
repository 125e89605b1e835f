package cluster

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// hello is how a process introduces itself.
type hello struct {
	Version int    `json:"version"`
	Job     string `json:"job"`
	Rank    int    `json:"rank"`
	Size    int    `json:"size"`
	PID     int    `json:"pid"`
	// PatienceMS is how many milliseconds it waits for the others.
	PatienceMS int64 `json:"patience_ms"`
}

const maxJob = 4 << 10 // bytes of a job's name

func newHello(p Place, pid int, patience time.Duration) hello {
	return hello{Version: protocolNumber, Job: p.Job, Rank: p.Rank, Size: p.Size, PID: pid, PatienceMS: patience.Milliseconds()}
}

func (h hello) message() (message, error) {
	body, err := json.Marshal(h)
	if err != nil {
		return message{}, fmt.Errorf("cluster: %w", err)
	}
	return message{kind: kindHello, body: body}, nil
}

// readHello reads the body of a hello.
func readHello(body []byte) (hello, error) {
	var h hello
	if err := json.Unmarshal(body, &h); err != nil {
		return hello{}, fmt.Errorf("cluster: a hello that is none: %w", err)
	}
	if h.PatienceMS < 0 || h.PatienceMS > maxPatience.Milliseconds() {
		return hello{}, fmt.Errorf("cluster: a hello with a patience of %d ms", h.PatienceMS)
	}
	return h, nil
}

// check says why the process of h cannot be one of the job of rank 0, which is own.
func (h hello) check(own hello) error {
	switch {
	case h.Version != own.Version:
		return fmt.Errorf("cluster: rank %d (pid %d) speaks version %d of the protocol and rank 0 (pid %d) version %d: start the same program everywhere",
			h.Rank, h.PID, h.Version, own.PID, own.Version)
	case h.Job != own.Job:
		return fmt.Errorf("cluster: rank %d (pid %d) is of job %.80q and rank 0 (pid %d) of job %.80q: they must not meet at one place",
			h.Rank, h.PID, h.Job, own.PID, own.Job)
	case h.Size != own.Size:
		return fmt.Errorf("cluster: rank %d (pid %d) is of a job of %d ranks and rank 0 (pid %d) of one of %d",
			h.Rank, h.PID, h.Size, own.PID, own.Size)
	case h.Rank < 0 || h.Rank >= own.Size:
		return fmt.Errorf("cluster: pid %d says that it is rank %d of %d", h.PID, h.Rank, own.Size)
	}
	return nil
}

// list shows ranks, which are in order, in few words: 0-3, 7.
func list(ranks []int) string {
	var parts []string
	for len(ranks) > 0 {
		n := 1
		for n < len(ranks) && ranks[n] == ranks[0]+n {
			n++
		}
		if n == 1 {
			parts = append(parts, fmt.Sprint(ranks[0]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", ranks[0], ranks[n-1]))
		}
		ranks = ranks[n:]
	}
	if len(parts) > 100 {
		parts = append(slices.Clip(parts[:100]), "...")
	}
	return strings.Join(parts, ", ")
}
