package cluster

import (
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
)

// Spec says how the ranks of a job meet, and over which network they exchange their data. It is the
// same for all ranks, except for Interface, Identity, Log and Drivers. A launcher hands it to its
// ranks in the environment (Environ), where each rank reads it (Complete). The zero value is valid
// for ranks of one host; on several hosts it needs Identity or Insecure.
type Spec struct {
	// Net is the network of the data. Ranks that name different ones do not join. 0 joins with any,
	// and means SHM for ranks that meet at a Unix socket, and TCP for others.
	Net Transport
	// Timeout is how long a rank waits for the other ranks, at most 24 hours. 0 means 10 seconds
	// for JoinHost, and 30 for others. The shortest timeout of all ranks applies.
	Timeout time.Duration
	// Stall is how long another rank may show no sign of life before the job fails. 0 means 15
	// seconds (local.DefaultStall), a negative value forever. The end of a process is noticed at
	// once.
	Stall time.Duration
	// Ports is the range of ports on which the process listens: three at rank 0, two at another
	// rank. The zero value is any free port.
	Ports reach.Ports
	// Interface selects the interface by which other ranks reach this one (ChooseInterface). Empty
	// selects the interface that reaches the rendezvous.
	Interface string
	// Settings has the options of the network (Options).
	Settings Settings
	// Insecure permits a rank without an Identity. Its data are not encrypted, and whoever reaches
	// the meeting point can become a rank of the job. Rank 0 prints a warning on standard error.
	Insecure bool
	// Identity authenticates this rank to the others. Ranks that meet at a Unix socket do not use
	// it: the kernel tells them who is at the other end.
	Identity *identity.Identity
	// Log receives the messages of memberlist at level Debug. A nil Log discards the messages.
	Log *slog.Logger
	// Drivers are what the program has of the parts that need modules of their own: ranks of
	// several hosts need package gossip, and QUIC needs package quic.
	Drivers []Driver
}

const (
	fagusNet      = "FAGUS_NET"
	fagusPatience = "FAGUS_JOIN_TIMEOUT"
	fagusStall    = "FAGUS_STALL"
	fagusPorts    = "FAGUS_PORTS"
	fagusInsecure = "FAGUS_INSECURE" // 1: permitted
)

// entry is a field of a Spec that has a variable in the environment.
type entry struct {
	env  string
	text string // the value; empty if the Spec leaves the field out
	set  func(text string) error
}

// entries returns the fields of s, except Net, whose default depends on the rank's place.
func (s *Spec) entries() []entry {
	all := []entry{
		{fagusInterface, s.Interface, func(text string) error { s.Interface = text; return nil }},
		{fagusPorts, s.Ports.String(), s.setPorts},
		{fagusStall, map[bool]string{true: s.Stall.String()}[s.Stall != 0], func(text string) (err error) { s.Stall, err = ParseStall(text); return err }},
		{fagusPatience, map[bool]string{true: s.Timeout.String()}[s.Timeout != 0], s.setTimeout},
		{fagusInsecure, map[bool]string{true: "1"}[s.Insecure], s.setInsecure},
	}
	for _, o := range Options() {
		all = append(all, entry{o.Env, s.Settings[o.Name], func(text string) error {
			if s.Settings == nil {
				s.Settings = Settings{}
			}
			s.Settings[o.Name] = text
			return nil
		}})
	}
	return all
}

// Environ returns s as variables. It leaves out Identity, which each rank has for itself, and Log.
func (s *Spec) Environ() (list []string) {
	for _, e := range append([]entry{{env: fagusNet, text: s.Net.String()}}, s.entries()...) {
		if e.text != "" {
			list = append(list, e.env+"="+e.text)
		}
	}
	return list
}

// Complete reads what s leaves out from the environment of a rank: FAGUS_NET, FAGUS_IDENTITY,
// FAGUS_INTERFACE, FAGUS_PORTS, FAGUS_STALL, FAGUS_JOIN_TIMEOUT, FAGUS_INSECURE, and the variables
// of Options. Afterwards Net is set.
func (s *Spec) Complete(lookup func(string) (string, bool), place Place) (err error) {
	if s.Net == 0 {
		if s.Net, err = transportFromEnv(lookup, place); err != nil {
			return err
		}
	}
	if s.Identity == nil {
		if s.Identity, err = IdentityFromEnv(lookup, dimmnet.Rank(place.Rank)); err != nil {
			return err
		}
	}
	for _, e := range s.entries() {
		if text, _ := lookup(e.env); text != "" && e.text == "" {
			if err := e.set(text); err != nil {
				return err
			}
		}
	}
	return nil
}

// ParseStall reads the value of FAGUS_STALL.
func ParseStall(text string) (time.Duration, error) {
	stall, err := time.ParseDuration(text)
	if err != nil || stall == 0 {
		return 0, fmt.Errorf("cluster: %s=%q: want a time such as 30s, or -1s for no limit", fagusStall, text)
	}
	return stall, nil
}

func (s *Spec) setTimeout(text string) (err error) {
	if s.Timeout, err = time.ParseDuration(text); err != nil || s.Timeout <= 0 || s.Timeout > maxPatience {
		return fmt.Errorf("cluster: %s=%q: want a time such as 60s, at most %v", fagusPatience, text, maxPatience)
	}
	return nil
}

func (s *Spec) setPorts(text string) (err error) {
	if s.Ports, err = reach.ParsePorts(text); err != nil {
		return fmt.Errorf("cluster: %s: %w", fagusPorts, err)
	}
	return nil
}

func (s *Spec) setInsecure(text string) error {
	if text != "0" && text != "1" {
		return fmt.Errorf("cluster: %s=%q: want 1, 0 or an empty value", fagusInsecure, text)
	}
	s.Insecure = text == "1"
	return nil
}

// checkIdentity returns an error if s has the identity of another rank.
func (s *Spec) checkIdentity(place Place) error {
	if id := s.Identity; id != nil && (int(id.Rank()) != place.Rank || id.Size() != place.Size) {
		return fmt.Errorf("cluster: this process is rank %d of %d (%s), but its identity (%s) is that of %v", place.Rank, place.Size, place.Source, fagusIdentity, id)
	}
	return nil
}

// checkClear returns an error if the data of a rank at an interface would travel in clear without
// permission. made says where identities come from.
func (s *Spec) checkClear(place Place, at Interface, made string) error {
	switch {
	case s.Insecure:
		return nil
	case s.Net == OFI:
		return fmt.Errorf("cluster: libfabric encrypts nothing: where the fabric is closed to others (InfiniBand partitions, Slingshot VNIs, security groups), permit --net %v with --insecure or %s=1; elsewhere use --net %v or %v",
			OFI, fagusInsecure, TCP, QUIC)
	case s.Identity == nil:
		return fmt.Errorf("cluster: rank %d at %s (%s) has no identity: set %s (%s), or permit unencrypted data with --insecure or %s=1",
			place.Rank, at.Addr, at.Name, fagusIdentity, made, fagusInsecure)
	}
	return nil
}

// hello returns the hello of a rank that other hosts reach at an interface. Without an interface
// all ranks are on this host.
func (s *Spec) hello(place Place, at Interface, deadline time.Time) (hello, error) {
	h := newHello(place, os.Getpid(), max(time.Until(deadline), 0))
	name, err := os.Hostname()
	if err != nil {
		return h, fmt.Errorf("cluster: %w", err)
	}
	h.Net, h.Host = s.Net.String(), fmt.Sprintf("%.60s", name)
	if at != (Interface{}) {
		h.Host += ", " + at.Addr.String()
	}
	return h, nil
}
