package fagus

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/phase"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Time is a duration, or an instant since the start of a run, in picoseconds.
type Time = dimmnet.Time

// Units of Time.
const (
	Nanosecond  = dimmnet.Nanosecond
	Microsecond = dimmnet.Microsecond
	Millisecond = dimmnet.Millisecond
	Second      = dimmnet.Second
)

// Mode says how a variable is acquired.
type Mode = syncvar.Mode

// The two modes of an acquisition.
const (
	Shared    = syncvar.Shared    // to read; any number of ranks at once
	Exclusive = syncvar.Exclusive // to read and write; alone
)

// Transfer says how data go from rank to rank.
type Transfer = phase.Transfer

// The ways of transfer.
const (
	Auto  = phase.Auto  // what suits the port and the size of the data
	Rings = phase.Rings // slots in the LLCM, on any port; every rank needs a ring for every other
	Push  = phase.Push  // PUSH between bulk memories, on a port with RDMA
)

// Config says where a program runs. The zero value is useful.
type Config struct {
	// Nodes is the number of ranks; 0 stands for the number of processors, or for the
	// ranks of the job that this process is one of.
	Nodes int
	// Net is the network; nil stands for goroutines of this process.
	Net dimmnet.Network
	// Mode is the engine that runs the program.
	Mode Engine
	// Transfer is how data go. Threaded has Rings alone, which Auto stands for. Run returns an error if the network cannot do it.
	Transfer Transfer
	// Placement is where the copies of arrays are. Run returns an error if the network
	// cannot do it.
	Placement Placement
	// WriteDetection is how it is found what the holder of an exclusive variable has written.
	// FAGUS_WRITE_DETECTION in the environment goes before it; all ranks have the same. Run returns an error if it is
	// DetectKernel, and the system or Check does not allow that.
	WriteDetection WriteDetection
	// TwinBytes is how many bytes of a rank's twins stay in memory between tenures; 0 stands for
	// 1 GiB, and what is negative for none. What has no room is copied anew by every tenure.
	TwinBytes int
	// Notices lets the receive threads of Threaded sleep until every slot that is
	// sent has been announced beside the NIC (dimmnet.Host.Notify), instead of
	// polling.
	Notices bool
	// History, if not nil, gets what every rank does, to be checked against the axioms of
	// entry consistency when Run has returned. What every variable guards is then read at
	// each Acquire, Release and Update.
	History *history.History
	// Check watches the program's accesses to its arrays: one that needs a variable that is
	// not held ends the run with an error that names the line and what to do. It needs
	// Linux; Run returns an error elsewhere.
	Check Check
	// RollCall says when a roll-call is made: what every rank does, and what it waits
	// for. The zero value prints one to standard error when a call has waited for 30 s.
	RollCall RollCall
	// Log gets a debug record for every call that communicates, and for Release; nil
	// stands for silence, but for warnings of how the process was started.
	Log *slog.Logger
}

// withDefaults fills in what is zero and checks the rest.
func (c Config) withDefaults() (Config, error) {
	if j, ok := joined(c.Net); ok {
		_, size := j.Job()
		if c.Nodes != 0 && c.Nodes != size {
			return c, fmt.Errorf("fagus: %d nodes are asked for, and this job has %d ranks", c.Nodes, size)
		}
		if c.History != nil {
			return c, errors.New("fagus: Config.History needs all ranks in one process")
		}
		c.Nodes = size
	}
	if c.Nodes == 0 {
		c.Nodes = runtime.NumCPU()
	}
	if c.Nodes < 0 || c.Nodes > dimmnet.MaxNodes {
		return c, fmt.Errorf("fagus: %d nodes: there can be 1 to %d", c.Nodes, dimmnet.MaxNodes)
	}
	if c.Mode > Threaded {
		return c, fmt.Errorf("fagus: %v: want %v or %v", c.Mode, Phase, Threaded)
	}
	if c.Mode == Threaded && c.Transfer != Auto && c.Transfer != Rings {
		return c, fmt.Errorf("fagus: %v mode moves data by %v, not by %v", Threaded, Rings, c.Transfer)
	}
	if c.Placement > PlaceShared {
		return c, fmt.Errorf("fagus: %v: want %v, %v or %v", c.Placement, PlaceAuto, PlacePrivate, PlaceShared)
	}
	if c.Placement == PlaceShared && (c.Check != CheckOff || c.History != nil) {
		return c, fmt.Errorf("fagus: Config.Check and Config.History need placement %v", PlacePrivate)
	}
	if c.Notices && c.Mode != Threaded {
		return c, fmt.Errorf("fagus: notices are for mode %v", Threaded)
	}
	if err := c.Check.validate(); err != nil {
		return c, err
	}
	if err := c.detection(); err != nil {
		return c, err
	}
	if c.Net == nil {
		c.Net = inproc.New(inproc.Config{})
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c, nil
}
