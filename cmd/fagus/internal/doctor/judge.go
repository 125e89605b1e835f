package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

const hostsSchema = "fagus.hosts/v1"

// What a finding about a host means for a job.
const (
	fine  health = "ok"
	doubt health = "warn" // a job runs, but worse
	fault health = "FAIL" // a job cannot run
)

// hostReport is the result of fagus doctor --hosts.
type hostReport struct {
	Schema   string        `json:"schema"`
	Net      string        `json:"net"`
	Well     bool          `json:"well"` // nothing fails
	Findings []hostFinding `json:"findings"`
	Contacts []contact     `json:"contacts"`
}

type hostFinding struct {
	Host string `json:"host"`
	finding
}

func (r *hostReport) add(h health, host *host, name, advice, format string, args ...any) {
	r.Findings = append(r.Findings, hostFinding{host.Name, finding{name, h, fmt.Sprintf(format, args...), advice}})
	r.Well = r.Well && h != fault
}

// report judges what has been found out.
func (v *visit) report() *hostReport {
	r := &hostReport{Schema: hostsSchema, Net: v.net, Well: true, Contacts: v.contacts}
	for i, h := range v.hosts {
		if f := h.failed; f != nil {
			command := strings.Join(h.argv, " ")
			if f.ssh {
				r.add(fault, h, "ssh", "try it by hand: "+command, "not reached: %s", f.why)
			} else {
				r.add(fine, h, "ssh", "", "reached")
				r.add(fault, h, "fagus", "install this build of fagus on each host, at the same path; by hand: "+command, "%s", f.why)
			}
			continue
		}
		r.add(fine, h, "ssh", "", "reached in %.0f ms", float64(h.took.Microseconds())/1000)
		v.judgeProgram(r, h)
		v.judgeMachine(r, i, h)
		v.judgePorts(r, i, h)
		if v.net == runflags.OFI {
			v.judgeFabric(r, h)
		}
		v.judgeContacts(r, h)
	}
	return r
}

func (v *visit) judgeProgram(r *hostReport, h *host) {
	a := &h.about
	switch {
	case a.Build != v.build:
		r.add(fault, h, "fagus", "start the same build on all hosts", "%s there is %.200q, here it is %.200q", a.Path, a.Build, v.build)
	case a.Codecs != v.codecs:
		r.add(fault, h, "fagus", "build it again on all hosts", "%s is %q as here, but its messages differ (codecs %.16q and %s)", a.Path, v.build, a.Codecs, v.codecs)
	default:
		r.add(fine, h, "fagus", "", "%s, the same build as here (%s)", a.Path, a.Build)
	}
	if a.FolderErr != "" {
		r.add(fault, h, "folder", "the working directory must exist on each host", "%s", a.FolderErr)
	} else {
		r.add(fine, h, "folder", "", "the working directory is there")
	}
	const much = time.Second
	off := fmt.Sprintf("%v ahead of this host", h.clock.Round(time.Microsecond))
	if h.clock < 0 {
		off = fmt.Sprintf("%v behind this host", -h.clock.Round(time.Microsecond))
	}
	off += fmt.Sprintf(" (± %v)", h.clockErr.Round(time.Microsecond))
	switch {
	case h.clock+h.clockErr < -identity.ValidBefore && !v.insecure:
		r.add(fault, h, "clock", "set the clock: the identities of ranks are not valid yet there", "%s", off)
	case h.clock.Abs() > much+h.clockErr:
		r.add(doubt, h, "clock", "set the clock: times in logs differ", "%s", off)
	default:
		r.add(fine, h, "clock", "", "%s", off)
	}
}

func (v *visit) judgeMachine(r *hostReport, i int, h *host) {
	a := &h.about
	const few, small = 1024, 256 << 20
	text := fmt.Sprintf("%d, %s", a.Processors, a.System)
	if v.ranks[i] > 8*a.Processors {
		r.add(doubt, h, "processors", "ranks wait for their turns: use fewer, or more hosts", "%s, for %d ranks", text, v.ranks[i])
	} else {
		r.add(fine, h, "processors", "", "%s", text)
	}
	text = fmt.Sprintf("%d MiB, of which %d are free", a.MemoryBytes>>20, a.FreeBytes>>20)
	if a.MemoryBytes > 0 && a.FreeBytes < small {
		r.add(doubt, h, "memory", "end other programs, or use fewer ranks", "%s", text)
	} else {
		r.add(fine, h, "memory", "", "%s", text)
	}
	text = fmt.Sprintf("open files %s, processes %s, address space %s", ceiling(a.OpenFiles, 1), ceiling(a.Processes, 1), ceiling(a.AddressBytes, 1<<20))
	switch {
	case a.AddressBytes > 0:
		r.add(doubt, h, "limits", "Go reserves more address space than it uses: ulimit -v unlimited", "%s", text)
	case a.OpenFiles > 0 && a.OpenFiles < v.wantedFiles(i):
		advice := fmt.Sprintf("a process needs about %d, %s: ulimit -n %d", v.wantedFiles(i), v.load(i), max(few, v.wantedFiles(i)))
		r.add(fault, h, "limits", advice, "%s", text)
	case a.OpenFiles > 0 && a.OpenFiles < few && !v.counted:
		r.add(doubt, h, "limits", fmt.Sprintf("a rank needs about 2 files for every other rank: ulimit -n %d", few), "%s", text)
	default:
		r.add(fine, h, "limits", "", "%s", text)
	}
}

// ceiling formats a limit, 0 for none.
func ceiling(n, unit uint64) string {
	switch {
	case n == 0:
		return "unlimited"
	case unit > 1:
		return fmt.Sprintf("%d MiB", n/unit)
	}
	return fmt.Sprint(n)
}

// load describes the number of ranks for which host i is judged.
func (v *visit) load(i int) string {
	if !v.counted && v.size == len(v.hosts) {
		return "for one rank a host (-n gives another number)"
	}
	return fmt.Sprintf("for %d of %d ranks", v.ranks[i], v.size)
}

func (v *visit) judgePorts(r *hostReport, i int, h *host) {
	if h.listens == nil {
		r.add(fault, h, "ports", "FAGUS_INTERFACE selects the interface", "%s", h.whyNot)
		return
	}
	at := h.listens
	var parts []string
	if len(at.Ports) > 0 {
		parts = append(parts, fmt.Sprintf("%s at %s", spans(at.Ports), at.Where))
	}
	if len(at.Busy) > 0 {
		parts = append(parts, "in use: "+spans(at.Busy))
	}
	text := strings.Join(parts, ", ")
	if want := v.wantedPorts(i); len(at.Ports) < want {
		r.add(fault, h, "ports", "give a larger range in --ports", "%d of %s are free, and %d are needed: %s; %s", len(at.Ports), v.ports, want, text, v.load(i))
	} else {
		r.add(fine, h, "ports", "", "%s; %s", text, v.load(i))
	}
}

// judgeFabric judges what libfabric offers on h to --net ofi.
func (v *visit) judgeFabric(r *hostReport, h *host) {
	const name, choose = "libfabric", "name a provider that all hosts have: --provider; fagus doctor lists those of a host"
	if h.about.FabricErr != "" {
		r.add(fault, h, name, choose, "%s", h.about.FabricErr)
		return
	}
	for _, other := range v.hosts {
		if other.failed == nil && other.about.FabricErr == "" && other.about.Provider != h.about.Provider {
			r.add(fault, h, name, choose, "uses provider %s, and %s uses %s", h.about.Provider, other.Name, other.about.Provider)
			return
		}
	}
	switch {
	case h.about.Provider == "shm" && len(v.hosts) > 1:
		r.add(fault, h, name, choose, "provider shm reaches only ranks of its host")
	case !v.insecure:
		r.add(fault, h, name, "--insecure permits it on a fabric that is closed to others; --net tcp and quic encrypt", "nothing is encrypted")
	case v.ports != "" && purpose(h.about.Provider) == overTCP:
		r.add(doubt, h, name, "FI_TCP_PORT_LOW_RANGE and FI_TCP_PORT_HIGH_RANGE set its ports", "provider %s takes no notice of --ports", h.about.Provider)
	default:
		r.add(fine, h, name, "", "provider %s", h.about.Provider)
	}
}

// judgeContacts judges how the other hosts reach h.
func (v *visit) judgeContacts(r *hostReport, h *host) {
	var to []contact
	for _, c := range v.contacts {
		if c.To == h.Name {
			to = append(to, c)
		}
	}
	if h.stuck != "" {
		r.add(fault, h, "tcp", "", "%s", h.stuck)
	}
	if len(to) == 0 {
		return
	}
	slices.SortFunc(to, func(a, b contact) int { return strings.Compare(a.From, b.From) })
	var slowest int64
	blocked, silent := 0, 0
	for _, c := range to {
		slowest = max(slowest, c.RTTNS)
		if n := len(c.TCPFailed); n > 0 {
			blocked++
			more := ""
			if n > 1 {
				all := base.Map(c.TCPFailed, func(f failedPort) uint16 { return f.Port })
				more = fmt.Sprintf(" (%d of %d ports: %s)", n, len(h.listens.Ports), spans(all))
			}
			f := c.TCPFailed[0]
			r.add(fault, h, "tcp", "", "%s cannot connect to %s:%d, at %s: %s%s", c.From, c.To, f.Port, c.Addr, f.Why, more)
		}
	}
	if blocked == 0 {
		r.add(fine, h, "tcp", "", "reached from %s in at most %v", froms(to), time.Duration(slowest).Round(time.Microsecond))
	}
	for _, c := range to {
		if len(c.UDPFailed) == 0 {
			continue
		}
		silent++
		grade, advice := doubt, "--net "+v.net+" works without datagrams, and notices lost hosts later"
		if v.needsUDP {
			grade, advice = fault, "--net "+v.net+" needs datagrams: let UDP pass, or use --net tcp"
		}
		r.add(grade, h, "udp", advice, "no datagram of %s to %s at %s is answered: ports %s", c.From, c.To, c.Addr, spans(c.UDPFailed))
	}
	if silent == 0 {
		r.add(fine, h, "udp", "", "reached from %s", froms(to))
	}
	v.judgeMTU(r, h, to)
}

// judgeMTU judges the size of packets that reach h.
func (v *visit) judgeMTU(r *hostReport, h *host, to []contact) {
	const least = 1280
	common := 0 // what most paths carry: the largest
	for _, c := range v.contacts {
		common = max(common, c.MTU)
	}
	known, low := 0, common
	var texts []string
	for _, c := range to {
		if c.MTU == 0 {
			continue
		}
		known++
		low = min(low, c.MTU)
		if c.MTU < common || c.MTU < c.Sent {
			texts = append(texts, fmt.Sprintf("%d from %s, whose interface sends %d", c.MTU, c.From, c.Sent))
		}
	}
	switch {
	case known == 0: // too small, or no datagrams: these are reported already
	case low < least:
		r.add(doubt, h, "mtu", "paths must carry packets of 1280 bytes", "packets of %d bytes come through whole, of 1280 not", low)
	case len(texts) > 0:
		r.add(doubt, h, "mtu", "give all interfaces one MTU that the network carries", "%s", strings.Join(texts, ", "))
	default:
		r.add(fine, h, "mtu", "", "packets of %d bytes come through whole", common)
	}
}

// froms names the hosts that reach another.
func froms(to []contact) string {
	if len(to) > 4 {
		return fmt.Sprintf("%d hosts", len(to))
	}
	return strings.Join(base.Map(to, func(c contact) string { return c.From }), ", ")
}

// spans formats sorted ports as ranges: "17000-17003, 17010".
func spans(sorted []uint16) string {
	var parts []string
	sorted = slices.Sorted(slices.Values(sorted))
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[n] == sorted[0]+uint16(n) {
			n++
		}
		if n == 1 {
			parts = append(parts, fmt.Sprint(sorted[0]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", sorted[0], sorted[n-1]))
		}
		sorted = sorted[n:]
	}
	return strings.Join(parts, ", ")
}

func (r *hostReport) text() (text string) {
	wide := 0
	for _, f := range r.Findings {
		wide = max(wide, len(f.Host))
	}
	for _, f := range r.Findings {
		text += fmt.Sprintf("%-6s%-*s%-12s%s\n", f.Health, wide+2, f.Host, f.Name, f.Value)
		if f.Advice != "" {
			text += strings.Repeat(" ", wide+20) + f.Advice + "\n"
		}
	}
	return text
}
