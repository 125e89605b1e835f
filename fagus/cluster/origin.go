package cluster

import (
	"errors"
	"fmt"
	"os"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// OriginVariable names the pipe on which a rank tells its launcher which rank failed first: "fd:",
// the descriptor, and the name that Linux gives to the pipe ("fd:4 pipe:[1234]"). In a program that
// the rank starts, the descriptor may be another file, which is left alone.
const OriginVariable = "FAGUS_ORIGIN"

// AttemptVariable has how often a launcher has started the job before, because ranks died.
const AttemptVariable = "FAGUS_ATTEMPT"

// LineVariable names the connection to a launcher that simulates the network.
const LineVariable = "FAGUS_LINE"

// InheritVariable has the digest of a rank's command line if the launcher has read it: its flags
// about the network are then in the environment (Spec). A program that the rank starts has another
// command line.
const InheritVariable = "FAGUS_INHERIT"

// ProgressVariable says how often rank 0 sends its launcher how far the run is, as a duration. It
// is unset if the launcher shows no progress.
const ProgressVariable = "FAGUS_PROGRESS"

// Words that follow the number of a rank that reports itself.
const (
	// OriginGone: the rank is lost: its host is cut off, it was stopped, or the other ranks say so.
	OriginGone = "gone"
	// OriginPrints: the rank prints why it fails.
	OriginPrints = "prints"
)

// maxOrigin bounds what a rank writes into the pipe, in bytes: it must not wait for the launcher.
const maxOrigin = 4096

// ReportOrigin tells the launcher, if it has asked, which rank made rank own fail with err: the
// rank itself, or another whose failure or loss ended the run. A launcher sees only the order in
// which processes exit, and the rank that failed first need not exit first. prints says that the
// caller prints err. If another rank failed first, ReportOrigin passes err's text to the launcher
// and returns true; the launcher prints the text if that rank says nothing. Run calls ReportOrigin.
func ReportOrigin(own int, err error, prints bool) (passed bool) {
	var fd uint
	var name string
	if n, _ := fmt.Sscanf(os.Getenv(OriginVariable), "fd:%d %s", &fd, &name); n != 2 {
		return false
	}
	if is, e := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); e != nil || is != name {
		return false
	}
	pipe := os.NewFile(uintptr(fd), name)
	first := origin(own, err)
	text := fmt.Sprint(first)
	if first == own {
		if dimmnet.IsGone(err) {
			text += " " + OriginGone
		}
		if prints {
			text += " " + OriginPrints
		}
	} else {
		text += "\n" + err.Error()
	}
	_, _ = pipe.WriteString(text[:min(len(text), maxOrigin)]) // the launcher may be gone
	_ = pipe.Close()
	return first != own
}

func origin(own int, err error) int {
	var run *dimmnet.Failed
	var job *Failed
	switch {
	case errors.As(err, &run):
		return int(run.Rank)
	case errors.As(err, &job):
		return int(job.Rank)
	}
	return own
}
