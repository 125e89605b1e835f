package cluster

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// hello is the message by which a process introduces itself to rank 0.
type hello struct {
	Version int `json:"version"`
	// Build is the program's version (buildText), Codecs the digest of its codecs.
	Build  string `json:"build"`
	Codecs string `json:"codecs"`
	Job    string `json:"job"`
	Rank   int    `json:"rank"`
	Size   int    `json:"size"`
	Epoch  int    `json:"epoch,omitempty"`
	PID    int    `json:"pid"`
	// Host describes the host of the process; empty if all ranks are on one host.
	Host string `json:"host,omitempty"`
	// Net is the name of the network that will carry the data; empty if it is not known yet.
	Net string `json:"net,omitempty"`
	// PatienceMS is how long the process waits for the other ranks, in milliseconds.
	PatienceMS int64 `json:"patience_ms"`
}

const maxJob = 4 << 10 // maximum length of a job's name in bytes

func newHello(p Place, pid int, patience time.Duration) hello {
	return hello{Version: protocolNumber, Build: buildText(), Codecs: codecs, Job: p.Job, Rank: p.Rank, Size: p.Size, Epoch: p.Epoch, PID: pid, PatienceMS: patience.Milliseconds()}
}

func (h hello) message() (message, error) {
	body, err := json.Marshal(h)
	if err != nil {
		return message{}, fmt.Errorf("cluster: %w", err)
	}
	return message{kind: kindHello, body: body}, nil
}

func readHello(body []byte) (hello, error) {
	var h hello
	if err := json.Unmarshal(body, &h); err != nil {
		return hello{}, fmt.Errorf("cluster: decoding a hello: %w", err)
	}
	if h.PatienceMS < 0 || h.PatienceMS > maxPatience.Milliseconds() {
		return hello{}, fmt.Errorf("cluster: decoding a hello with a patience of %d ms: want 0 to %d", h.PatienceMS, maxPatience.Milliseconds())
	}
	return h, nil
}

func (h hello) process() string {
	if h.Host == "" {
		return fmt.Sprintf("pid %d", h.PID)
	}
	return fmt.Sprintf("pid %d on %.80s", h.PID, sanitize([]byte(h.Host)))
}

func (h hello) name() string { return fmt.Sprintf("rank %d (%s)", h.Rank, h.process()) }

// check returns an error if the sender of h cannot belong to the job of own, rank 0's hello.
func (h hello) check(own hello) error {
	switch {
	case h.Version != own.Version:
		return fmt.Errorf("cluster: %s uses protocol version %d, but %s uses version %d: start the same program on all hosts", h.name(), h.Version, own.name(), own.Version)
	case h.Job != own.Job:
		return fmt.Errorf("cluster: %s is of job %.80q, but %s is of job %.80q: two jobs cannot share a rendezvous", h.name(), h.Job, own.name(), own.Job)
	case h.Build != own.Build:
		return fmt.Errorf("cluster: %s runs %.200q, but %s runs %.200q: build once, and copy the program to all hosts", h.name(), h.Build, own.name(), own.Build)
	case h.Codecs != own.Codecs:
		return fmt.Errorf("cluster: %s and %s both run %q, but their messages differ (codecs %.16q and %s): build once, and copy the program to all hosts", h.name(), own.name(), own.Build, h.Codecs, own.Codecs)
	case h.Epoch != own.Epoch:
		return fmt.Errorf("cluster: %s is of epoch %d, but %s is of epoch %d: one of them is from an earlier start of the job", h.name(), h.Epoch, own.name(), own.Epoch)
	case h.Size != own.Size:
		return fmt.Errorf("cluster: %s is of a job of %d ranks, but %s is of a job of %d ranks", h.name(), h.Size, own.name(), own.Size)
	case h.Rank < 0 || h.Rank >= own.Size:
		return fmt.Errorf("cluster: %s claims to be rank %d in a job of %d ranks", h.process(), h.Rank, own.Size)
	case h.Net != own.Net && h.Net != "" && own.Net != "":
		return fmt.Errorf("cluster: %s uses the network %.20q and %s %.20q: set %s to the same on all ranks", h.name(), h.Net, own.name(), own.Net, fagusNet)
	}
	return nil
}

// list formats a sorted list of ranks as ranges: "0-3, 7".
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
