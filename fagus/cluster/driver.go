package cluster

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/fagus/cluster/meeting"
)

// Driver is a part of a program that needs modules of its own. A program that imports its package
// and passes its Driver to program.Main or Run has it:
//
//	fagus/cluster/gossip   ranks on several hosts
//	dimmnet/live/quic      --net quic
//	fagus/checkpoint/s3    --checkpoint s3://BUCKET/PREFIX
type Driver interface {
	// Driver returns the last element of the path of its package.
	Driver() string
}

// networkDriver is the Driver of a network.
type networkDriver interface {
	Driver
	Join(cfg mesh.Config, m dimmnet.Member) dimmnet.Network
}

// meetingDriver is the Driver of what lets ranks of several hosts find each other.
type meetingDriver interface {
	Driver
	Meet(c meeting.Config) (meeting.Group, error)
}

// FindDriver returns the driver of a type and name. If there is none, the error says which line
// the program lacks.
func FindDriver[D Driver](all []Driver, name string) (d D, err error) {
	for _, a := range all {
		if found, ok := a.(D); ok && a.Driver() == name {
			return found, nil
		}
	}
	return d, lacks(name)
}

// lacks returns the error of a program without a driver.
func lacks(name string) error {
	path := map[string]string{"gossip": "fagus/cluster/gossip", "quic": "dimmnet/live/quic", "s3": "fagus/checkpoint/s3"}[name]
	if path == "" {
		return fmt.Errorf("this program has no driver %q", name)
	}
	return fmt.Errorf("this program is without the driver %s: import %q, and pass %s.Driver{} to program.Main or cluster.Run, as in program.Main(run, %[1]s.Driver{})",
		name, modulePath+"/"+path, name)
}

func meetingOf(all []Driver) (meetingDriver, error) {
	d, err := FindDriver[meetingDriver](all, "gossip")
	if err != nil {
		return nil, fmt.Errorf("cluster: ranks on several hosts: %w", err)
	}
	return d, nil
}

// CheckDrivers returns an error if the ranks of a job with s need a driver that s lacks. spans says
// that they may be on several hosts, and do not join through their launcher.
func (s *Spec) CheckDrivers(spans bool) error {
	if s.Net == QUIC {
		if _, err := FindDriver[networkDriver](s.Drivers, QUIC.String()); err != nil {
			return fmt.Errorf("cluster: the network %v: %w", QUIC, err)
		}
	}
	if spans {
		_, err := meetingOf(s.Drivers)
		return err
	}
	return nil
}
