package launch

import (
	"github.com/fagus-dsm/fagus/dimmnet"
)

// The launcher and the agent of a host talk in JSON documents, one after the other: orders
// go to the agent's standard input and reports come from its standard output. The first
// order starts ranks; the end of its input ends them.

// agentVersion is of what they say.
const agentVersion = 1

// order is what a launcher wants of an agent.
type order struct {
	Start  *start `json:"start,omitempty"`
	Signal int    `json:"signal,omitempty"` // to pass on
	// Rendezvous is where the ranks meet, after an agent was asked for it by Start.Meet.
	Rendezvous string `json:"rendezvous,omitempty"`
}

// start says which ranks an agent is to start. If Meet is set it first says where they can
// meet on its host. Unless Local is set it waits to be told where they do.
type start struct {
	Version  int       `json:"version"`
	Size     int       `json:"size"`
	Job      string    `json:"job"`
	Argv     []string  `json:"argv"`
	Folder   string    `json:"folder"`
	Env      []string  `json:"env"` // beside the agent's own
	Ranks    []recruit `json:"ranks"`
	Meet     bool      `json:"meet"`
	Local    bool      `json:"local"` // no other host takes part
	PlainOut bool      `json:"plain_out"`
	PlainErr bool      `json:"plain_err"`
	GraceNS  int64     `json:"grace_ns"`
}

// recruit is a rank that is to be started. Identity may be nothing.
type recruit struct {
	Rank     dimmnet.Rank `json:"rank"`
	Identity []byte       `json:"identity"`
}

// report is what an agent tells its launcher.
type report struct {
	Rendezvous string  `json:"rendezvous,omitempty"`
	Out        []byte  `json:"out,omitempty"`
	Err        []byte  `json:"err,omitempty"`
	Failed     *failed `json:"failed,omitempty"`
	Done       bool    `json:"done,omitempty"` // all ranks have ended; nothing follows
}

// failed is how an agent's ranks have failed.
type failed struct {
	Rank int    `json:"rank"` // -1: not because of one
	Code int    `json:"code"`
	Why  string `json:"why"`
	// Missing says that something is not on the host which must be.
	Missing bool `json:"missing,omitempty"`
}
