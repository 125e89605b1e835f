package fagus

import (
	"fmt"
	"log/slog"
	"runtime"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/fagus/replay"
	"github.com/fagus-dsm/fagus/fagus/trace"
	"github.com/fagus-dsm/fagus/phase"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Time is a duration in picoseconds. An instant is the Time since the start of the run.
type Time = dimmnet.Time

// Units of Time.
const (
	Nanosecond  = dimmnet.Nanosecond
	Microsecond = dimmnet.Microsecond
	Millisecond = dimmnet.Millisecond
	Second      = dimmnet.Second
)

// Access is the kind of access that a rank requests to a sync variable.
type Access = syncvar.Access

// The kinds of access.
const (
	Shared    = syncvar.Shared    // for reading; any number of ranks may hold the variable
	Exclusive = syncvar.Exclusive // for reading and writing; no other rank holds the variable
)

// Transfer selects the method by which data move from rank to rank.
type Transfer = phase.Transfer

// The transfer methods.
const (
	// Auto chooses a method by the network and the size of the data.
	Auto = phase.Auto
	// Rings sends data through slots in the LLCM, the NIC's low-latency memory. It works on every
	// network, but each rank needs one ring per other rank.
	Rings = phase.Rings
	// Push sends data by PUSH from bulk memory to bulk memory. It needs a network with RDMA.
	Push = phase.Push
)

// DirectNodes is the largest number of nodes with which ListsAuto is ListsAll on a network with a
// real clock.
const DirectNodes = phase.LiveRingNodes

// Lists selects how the ranks of Phase mode learn what all want in a phase, and whether helper
// threads of Threaded mode use trees.
type Lists = phase.Lists

// The ways in which acquire lists reach all ranks.
const (
	// ListsAuto chooses a way by the network and the number of nodes.
	ListsAuto = phase.ListsAuto
	// ListsAll sends the list of each rank to all others, as the papers do. In Threaded mode owners
	// send data to all readers, one after the other, and all ranks meet at rank 0.
	ListsAll = phase.ListsAll
	// ListsTree sends lists over a tree. Ranks that do what they did in the cycle of phases before
	// send no lists. It needs a network with RDMA and bulk memory. In Threaded mode a rank that
	// reads a variable passes the data on to later readers, and meetings of many ranks go over a
	// tree; this works on every network, but not with Direct.
	ListsTree = phase.ListsTree
)

// Config configures a run. The zero value runs one rank per processor, as goroutines of this
// process, in Phase mode. If fields contradict each other, or the network lacks a requested
// feature, Run returns an error before any program starts.
type Config struct {
	// Nodes is the number of ranks, 1 to dimmnet.MaxNodes. If Nodes is 0, there is one rank per
	// processor. On a network that joins the processes of a job (see package cluster), the job
	// determines the number of ranks: Nodes must be 0 or that number.
	Nodes int

	// Net is the network that connects the ranks. If Net is nil, all ranks run as goroutines of
	// this process. The network also determines the clock: on a simulated network time is virtual,
	// and computing takes only the time that the program passes to Node.Spend.
	Net dimmnet.Network

	// Mode is the engine that serves requests. In Phase mode an Acquire waits for a call of every
	// other rank; this suits programs whose ranks work in step. In Threaded mode an Acquire waits
	// only for the holders of the variables, so a program can use sync variables as locks.
	Mode Mode

	// Transfer is the method that moves data between ranks. Auto fits most programs. Rings limits
	// the number of nodes, because a node's LLCM must hold a ring for every other node. Push needs
	// a network with RDMA. Threaded mode always uses rings: Transfer must be Auto or Rings.
	Transfer Transfer

	// Lists is the way in which the ranks of Phase mode learn what all want. ListsAuto fits most
	// programs: with many nodes it uses a tree, in which phases that repeat need no lists. In
	// Threaded mode it uses trees with more than 4 simulated nodes, unless Direct is set. Locks in
	// shared memory need none.
	Lists Lists

	// Placement selects where arrays are stored: in one copy per rank, or in one copy that all
	// ranks share. With a shared copy an Acquire moves no data. A shared copy needs a network
	// whose ranks can share memory. It excludes Check, Record, and History except with locks in
	// Threaded mode.
	Placement Placement

	// WriteDetection is the method by which Release finds the bytes that the rank has written. All
	// methods give the same results; they differ in time and memory (docs/internals/writes.md). The
	// environment variable FAGUS_WRITE_DETECTION overrides this field, and must be the same for
	// all ranks. DetectKernel needs Linux 6.7 and cannot be combined with Check.
	WriteDetection WriteDetection

	// TwinBytes limits the memory, in bytes per rank, of twins that are kept between tenures. A
	// twin is a copy of guarded data; Release compares the data with it to find changes. A twin
	// that is not kept is copied anew in each tenure. If TwinBytes is 0, the limit is 1 GiB. If
	// TwinBytes is negative, no twins are kept.
	TwinBytes int

	// If Helpers is true, Threaded mode has three helper threads on each node (D1-Fagus), as in the
	// simulator, instead of one, or of locks where ranks share memory. Notices and Direct imply
	// Helpers. With Helpers, PlaceAuto is PlacePrivate.
	Helpers bool

	// If Notices is true, the receive threads of Threaded mode sleep until a sender notifies them
	// of a slot (dimmnet.Host.Notify), instead of polling. Notices save processor time but
	// increase latency. Phase mode does not support them.
	Notices bool

	// If Direct is true, a rank in Threaded mode takes a free variable from its owner without a
	// message, as D1-Fagus does: by remote reads and writes of the owner's LLCM. The access must be
	// exclusive, and the rank's copy current. All else goes by requests; so does everything on a
	// network without RDMA, and on more than 8 nodes. Update sends one request after the other.
	Direct bool

	// History, if not nil, records the calls of every rank and the data that the rank sees. After
	// Run has returned, the record can be checked against the axioms of entry consistency.
	// Recording is slow, because every Acquire, Release and Update reads the complete contents of
	// variables: use it in tests. If ranks are processes, each needs a History; at the end of a run
	// that has not failed, each has the records of all ranks.
	History *history.History

	// Check selects access checking: the run verifies that each rank accesses only elements that it
	// may access. The first forbidden access ends the run with an error that names the source line,
	// the element, the variable that guards it, and the remedy. At the end of a checked run, Run
	// also returns an error if two tenures of a variable, one of them exclusive, are separated by
	// nothing but the order of phases. A checked run fills Report.Advice. In an unchecked run a
	// forbidden read may return an old value, and a forbidden write is lost or overwritten.
	// Checking needs Linux.
	Check Check

	// Timeline records when each rank spent its time on which part, for Report.Timeline.
	Timeline bool

	// Trace, if not nil, records what each rank does when, and for whom and for which variables it
	// waits. After Run has returned, also with an error, it has the record of this process; after a
	// run without an error, the process of rank 0 has that of all ranks.
	Trace *trace.Trace

	// Record, if not nil, keeps on disk which rank has written which elements, for fagus why, show
	// and diff. With it, PlaceAuto is PlacePrivate: in one copy nobody sees what a rank writes.
	Record *recording.Recording

	// Meter, if not nil, counts what the ranks of this process do, for readers while they run. It
	// watches one run at a time.
	Meter *meter.Meter

	// RollCall configures roll-calls: reports of what each rank does and what it waits for. By
	// default a roll-call is printed to standard error when a rank has waited in a call for 30 s,
	// which usually means that the program hangs.
	RollCall RollCall

	// Checkpoints keeps checkpoints, from which a later run resumes: see Node.Checkpoint and
	// Node.Resume. Package fagus/checkpoint has one over a directory. If it is nil, these calls do
	// nothing.
	Checkpoints Checkpointer

	// Log receives what the program logs by Node.Log, a debug record for every call that
	// communicates, every Release and checkpoint, and the first failure of each rank. The run asks
	// once, when it begins, whether Log takes debug records. Each record says the rank and, in
	// Phase mode, the number of phases. If Log is nil, nothing is logged but by Node.Log, except a
	// warning to slog.Default when a launcher started this process as one of several (see Run).
	Log *slog.Logger

	records *slog.Logger // what the program logs by Node.Log

	replay *replay.Rank // the rank that is run alone; nil in other runs

	first counters

	replica phase.Replica // of the ranks of this process

	account *account // of this process; nil: it counts nothing
}

// counters are the values at which the counters of a run start: 0, except in tests, which start
// near the end of a counter.
type counters struct {
	phase   uint64
	version syncvar.Version
}

// withDefaults returns c with defaults in place of zero values, or an error if a field is invalid.
func (c Config) withDefaults() (Config, error) {
	if j, ok := joined(c.Net); ok {
		_, size := j.Job()
		if c.Nodes != 0 && c.Nodes != size {
			return c, fmt.Errorf("fagus: Config.Nodes is %d, but this job has %d ranks: set it to 0 or %d", c.Nodes, size, size)
		}
		c.Nodes = size
	}
	if c.Nodes == 0 {
		c.Nodes = runtime.NumCPU()
	}
	if c.Nodes < 0 || c.Nodes > dimmnet.MaxNodes {
		return c, fmt.Errorf("fagus: Config.Nodes is %d: want 1 to %d", c.Nodes, dimmnet.MaxNodes)
	}
	if c.Mode > Threaded {
		return c, fmt.Errorf("fagus: Config.Mode is %d: want %v or %v", c.Mode, Phase, Threaded)
	}
	if c.Mode == Threaded && c.Transfer != Auto && c.Transfer != Rings {
		return c, fmt.Errorf("fagus: %v mode moves data by %v, not by %v: set Config.Transfer to %v", Threaded, Rings, c.Transfer, Auto)
	}
	if c.Placement > PlaceShared {
		return c, fmt.Errorf("fagus: Config.Placement is %d: want %v, %v or %v", c.Placement, PlaceAuto, PlacePrivate, PlaceShared)
	}
	if c.Placement == PlaceShared && (c.Check != CheckOff || c.History != nil && (c.Mode == Phase || c.helpers())) {
		return c, fmt.Errorf("fagus: Config.Check and Config.History need one copy per rank: set Config.Placement to %v", PlacePrivate)
	}
	if c.Placement == PlaceShared && c.Record != nil {
		return c, fmt.Errorf("fagus: Config.Record needs one copy per rank, because in one copy nobody sees which bytes a rank writes: set Config.Placement to %v", PlacePrivate)
	}
	if c.Helpers && c.Mode != Threaded {
		return c, fmt.Errorf("fagus: Config.Helpers needs mode %v", Threaded)
	}
	if c.Notices && c.Mode != Threaded {
		return c, fmt.Errorf("fagus: Config.Notices needs mode %v", Threaded)
	}
	if c.Direct && c.Mode != Threaded {
		return c, fmt.Errorf("fagus: Config.Direct needs mode %v", Threaded)
	}
	if c.Direct && c.Lists == ListsTree {
		return c, fmt.Errorf("fagus: Config.Direct is the papers' protocol: set Config.Lists to %v", ListsAll)
	}
	if err := c.Check.validate(); err != nil {
		return c, err
	}
	if err := c.resolveDetection(); err != nil {
		return c, err
	}
	c.detect()
	if c.Net == nil {
		c.Net = inproc.New(inproc.Config{})
	}
	if c.records = c.Log; c.Log == nil {
		c.records = slog.Default()
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.replica = phase.NewReplica()
	return c, nil
}

// nameOf returns names[value], or, for a value without a name, the kind and the number: "mode 7".
func nameOf[T ~uint8](value T, kind string, names ...string) string {
	if int(value) < len(names) {
		return names[value]
	}
	return fmt.Sprintf("%s %d", kind, value)
}
