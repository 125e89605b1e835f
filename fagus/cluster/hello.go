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
	Epoch   int    `json:"epoch,omitempty"`
	PID     int    `json:"pid"`
	// Host says where it is, in words; empty: on the host of all.
	Host string `json:"host,omitempty"`
	// PatienceMS is how many milliseconds it waits for the others.
	PatienceMS int64 `json:"patience_ms"`
}

const maxJob = 4 << 10 // bytes of a job's name

func newHello(p Place, pid int, patience time.Duration) hello {
	return hello{Version: protocolNumber, Job: p.Job, Rank: p.Rank, Size: p.Size, Epoch: p.Epoch, PID: pid, PatienceMS: patience.Milliseconds()}
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

// who is the process of h in words.
func (h hello) who() string {
	if h.Host == "" {
		return fmt.Sprintf("pid %d", h.PID)
	}
	return fmt.Sprintf("pid %d on %.80s", h.PID, text([]byte(h.Host)))
}

// check says why the process of h cannot be one of the job of rank 0, which is own.
func (h hello) check(own hello) error {
	switch {
	case h.Version != own.Version:
		return fmt.Errorf("cluster: rank %d (%s) speaks version %d of the protocol and rank %d (%s) version %d: start the same program everywhere",
			h.Rank, h.who(), h.Version, own.Rank, own.who(), own.Version)
	case h.Job != own.Job:
		return fmt.Errorf("cluster: rank %d (%s) is of job %.80q and rank %d (%s) of job %.80q: they must not meet at one place",
			h.Rank, h.who(), h.Job, own.Rank, own.who(), own.Job)
	case h.Epoch != own.Epoch:
		return fmt.Errorf("cluster: rank %d (%s) is of epoch %d and rank %d (%s) of epoch %d: one of them is of an earlier start of the job",
			h.Rank, h.who(), h.Epoch, own.Rank, own.who(), own.Epoch)
	case h.Size != own.Size:
		return fmt.Errorf("cluster: rank %d (%s) is of a job of %d ranks and rank %d (%s) of one of %d",
			h.Rank, h.who(), h.Size, own.Rank, own.who(), own.Size)
	case h.Rank < 0 || h.Rank >= own.Size:
		return fmt.Errorf("cluster: %s says that it is rank %d of %d", h.who(), h.Rank, own.Size)
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
