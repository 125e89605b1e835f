package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// probeName is the hidden command that fagus doctor --hosts runs on each host.
const probeName = "probe"

// Probe returns the hidden command that examines this host for fagus doctor --hosts.
func Probe() *cli.Command {
	return &cli.Command{
		Name: probeName, Usage: "examine this host for fagus doctor --hosts", Hidden: true,
		Action: base.NoArgs(func(c *cli.Context) error { return serve(os.Stdin, c.App.Writer) }),
	}
}

// serve answers orders until they end.
func serve(in io.Reader, out io.Writer) error {
	orders, answers := json.NewDecoder(in), json.NewEncoder(out)
	var p probe
	defer p.close()
	for {
		var o order
		if err := orders.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("doctor: reading an order: %w", err)
		}
		if err := answers.Encode(p.answer(o)); err != nil {
			return err
		}
	}
}

func (p *probe) answer(o order) answer {
	switch {
	case o.Begin != nil:
		return answer{About: describe(o.Begin)}
	case o.Time:
		return answer{TimeNS: time.Now().UnixNano()}
	case o.Listen != nil:
		at, err := p.listen(o.Listen)
		if err != nil {
			return answer{Err: err.Error()}
		}
		return answer{Listen: at}
	case o.Reach != nil:
		return answer{Reach: o.Reach.try(p.mtu)}
	}
	return answer{Err: fmt.Sprintf("doctor: this probe (version %d) does not know the order", probeVersion)}
}

func describe(b *begin) *about {
	a := &about{Version: probeVersion, System: runtime.GOOS + "/" + runtime.GOARCH, Processors: runtime.NumCPU(), resources: readResources()}
	a.Build, a.Codecs = cluster.Build()
	a.Path, _ = os.Executable() // empty if it is unknown
	if err := os.Chdir(b.Folder); err != nil {
		a.FolderErr = err.Error()
	}
	if b.Net == runflags.OFI {
		var err error
		if a.Provider, err = ofi.Choose(b.Provider); err != nil {
			a.Provider, a.FabricErr = "", err.Error()
		}
	}
	return a
}

// choose returns the interface at which ranks on this host would listen.
func (l *listen) choose() (cluster.Interface, error) {
	want := l.Interface
	if want == "" {
		want = os.Getenv("FAGUS_INTERFACE")
	}
	if l.Meet.IsValid() {
		return cluster.ChooseInterface(want, []netip.AddrPort{netip.AddrPortFrom(l.Meet, 9)})
	}
	var near netip.Addr // the address of this host that ssh connected to
	if words := strings.Fields(os.Getenv("SSH_CONNECTION")); len(words) == 4 {
		near, _ = netip.ParseAddr(words[2])
	}
	return cluster.OuterInterface(want, near)
}
