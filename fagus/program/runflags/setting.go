package runflags

import (
	"fmt"
	"hash/crc32"
	"os"
	"strings"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// The environment variables that replace flags which are not set.
const (
	netVariable   = "FAGUS_NET"
	nodesVariable = "FAGUS_NODES"
	modeVariable  = "FAGUS_MODE"
)

// setting is the value of a flag, and where it comes from.
type setting struct {
	value  string
	source string // for errors: "--net", or "FAGUS_NET"
	set    bool   // on the command line
}

// String returns the setting as the user gave it.
func (s setting) String() string {
	if strings.HasPrefix(s.source, "--") {
		return s.source + " " + s.value
	}
	return s.source + "=" + s.value
}

// read returns the value of a flag, or of the variable if the flag is not set.
func read(c *cli.Context, flag, variable string) setting {
	s := setting{source: "--" + flag, set: c.IsSet(flag)}
	if v := c.Value(flag); v != nil {
		s.value = fmt.Sprint(v)
	}
	if v := os.Getenv(variable); !s.set && v != "" {
		s.value, s.source = v, variable
	}
	return s
}

// digest returns the value of cluster.InheritVariable for a command line.
func digest(args []string) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(strings.Join(args, "\x00"))))
}

// inherits reports whether the launcher of this process has read its command line.
func inherits() bool { return os.Getenv(cluster.InheritVariable) == digest(os.Args[1:]) }

func readNet(c *cli.Context) setting {
	if inherits() {
		return setting{value: os.Getenv(netVariable), source: netVariable}
	}
	return read(c, netFlag, netVariable)
}

// ReadMode reads --mode, or FAGUS_MODE if the flag is not set.
func ReadMode(c *cli.Context, mode *fagus.Mode) error {
	s := read(c, modeFlag, modeVariable)
	if err := mode.UnmarshalText([]byte(s.value)); err != nil {
		return usage.Errorf("%s %q: want %v or %v", s.source, s.value, fagus.Phase, fagus.Threaded)
	}
	return nil
}

// notEmpty returns an error if one of the flags is set to nothing, which would count as not set.
func notEmpty(c *cli.Context, flags ...string) error {
	for _, flag := range flags {
		if c.IsSet(flag) && strings.TrimSpace(c.String(flag)) == "" {
			return usage.Errorf("--%s %q: want a value, or no --%s", flag, c.String(flag), flag)
		}
	}
	return nil
}
