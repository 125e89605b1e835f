package launch

import "github.com/fagus-dsm/fagus/dimmnet"

// agentVersion is the version of the protocol between the launcher and the agents. The launcher
// writes orders to an agent's standard input, and the agent writes reports to its standard
// output, both as a sequence of JSON documents. The first order starts ranks, or a memory. At the
// end of the input the agent ends the ranks, or the memory.
const agentVersion = 6

type order struct {
	Start  *start `json:"start,omitempty"`
	Signal int    `json:"signal,omitempty"` // forwarded to the ranks
	// Interrupt asks the agent to end the ranks by SIGINT. The end of the input asks for SIGTERM.
	Interrupt bool `json:"interrupt,omitempty"`
	// Kill asks the agent to end the ranks by SIGKILL.
	Kill bool `json:"kill,omitempty"`
	// Rendezvous is where the ranks meet. An agent started with Meet reports it first.
	Rendezvous string `json:"rendezvous,omitempty"`
	// Out and Err are how many bytes of the reports' Out and Err the launcher has taken since its
	// last order.
	Out int `json:"out,omitempty"`
	Err int `json:"err,omitempty"`
	// Remember asks for a memory. Only the same can follow.
	Remember *remember `json:"remember,omitempty"`
}

// remember tells an agent to keep checkpoints in the memory of its host (package partner), and to
// end the service for the last attempt. With Serve the agent serves another attempt.
type remember struct {
	Version  int      `json:"version"`
	Number   int      `json:"number"` // of the order
	Host     int      `json:"host"`   // number
	Lost     []int    `json:"lost"`   // numbers of the hosts that are lost
	Serve    bool     `json:"serve"`
	Identity []byte   `json:"identity"` // of this host; empty: in clear
	Env      [][]byte `json:"env"`      // of the ranks
	BeatNS   int64    `json:"beat_ns"`
}

// remembered is what an agent reports after each order to remember.
type remembered struct {
	Number  int    `json:"number"`  // of the order
	Address string `json:"address"` // host:port; empty without Serve
	Folder  []byte `json:"folder"`
	Newest  uint64 `json:"newest"` // number of a checkpoint; 0: there is none
}

// start tells an agent which ranks to start. With Meet, the agent first reports an address where
// the ranks can meet. Without Local, it starts no rank before an order with the Rendezvous.
type start struct {
	Version int    `json:"version"`
	Size    int    `json:"size"`
	Job     string `json:"job"`
	Attempt int    `json:"attempt"`
	// Argv, Folder and Env are bytes: they need not be UTF-8, which a JSON string would make them.
	Argv     [][]byte    `json:"argv"`
	Folder   []byte      `json:"folder"`
	Env      [][]byte    `json:"env"` // added to the agent's own environment
	Ranks    []rankStart `json:"ranks"`
	Meet     bool        `json:"meet"`
	Local    bool        `json:"local"` // all ranks are on this host
	PlainOut bool        `json:"plain_out"`
	PlainErr bool        `json:"plain_err"`
	ErrOnce  bool        `json:"err_once"`
	GraceNS  int64       `json:"grace_ns"`
	StallNS  int64       `json:"stall_ns"`
	BeatNS   int64       `json:"beat_ns"` // longest time between reports; 0: no limit
}

type rankStart struct {
	Rank     dimmnet.Rank `json:"rank"`
	Identity []byte       `json:"identity"` // may be empty
	Memory   []byte       `json:"memory"`   // identity for the memory of other hosts; may be empty
}

// report tells the launcher what has happened. The first has the Version, unless it is a failure.
// An empty report is a sign of life. Failed is sent as soon as a rank has ended, also with code 0;
// the other ranks go on until the launcher ends them.
type report struct {
	Version    int         `json:"version,omitempty"`
	Rendezvous string      `json:"rendezvous,omitempty"`
	Remembered *remembered `json:"remembered,omitempty"`
	Out        []byte      `json:"out,omitempty"`
	Err        []byte      `json:"err,omitempty"`
	Failed     *failed     `json:"failed,omitempty"`
	Done       bool        `json:"done,omitempty"` // all ranks have ended; this is the last report
}

type failed struct {
	Rank int    `json:"rank"` // -1: no rank has caused the failure
	Code int    `json:"code"`
	Why  string `json:"why"`
	// Because is ExitError.Because.
	Because int  `json:"because"`
	Died    bool `json:"died,omitempty"` // ExitError.Died
	// Missing reports that the host lacks a file that the job needs.
	Missing bool `json:"missing,omitempty"`
}

// octets returns texts as bytes, and texts the reverse.
func octets(list []string) (all [][]byte) {
	for _, s := range list {
		all = append(all, []byte(s))
	}
	return all
}

func texts(list [][]byte) (all []string) {
	for _, b := range list {
		all = append(all, string(b))
	}
	return all
}
