package runflags

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sync"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/outfile"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const (
	cpuProfileFlag = "cpuprofile"
	memProfileFlag = "memprofile"
	goTraceFlag    = "trace-go"
)

// profileKind is a kind of file that every process of a run writes.
type profileKind struct {
	flag, what, suffix, tool string
	each                     bool // the tool reads one file at a time
}

func profileKinds() []profileKind {
	return []profileKind{
		{cpuProfileFlag, "CPU profile", ".cpu.pprof", "go tool pprof", false},
		{memProfileFlag, "memory profile", ".mem.pprof", "go tool pprof", false},
		{goTraceFlag, "trace of the Go runtime", ".gotrace", "go tool trace", true},
	}
}

func profileFlags(category string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: cpuProfileFlag, Category: category, Usage: "write the CPU profile of every rank's process to `DIR`: with --cpuprofile prof, go tool pprof prof/*.cpu.pprof reads all of them. Samples have the labels rank, call and set"},
		&cli.StringFlag{Name: memProfileFlag, Category: category, Usage: "write what every rank's process has allocated to `DIR`: with --memprofile prof, go tool pprof prof/*.mem.pprof. Arrays of Fagus are not in it"},
		&cli.StringFlag{Name: goTraceFlag, Category: category, Usage: "write a trace of the Go runtime of every rank's process to `DIR` (large: 1 to 10 MB/s): with --trace-go prof, go tool trace prof/rank0.gotrace"},
	}
}

// profiles are the folders of a run's profiles, by flag.
type profiles struct {
	dirs   map[string]string
	labels bool // Config.Meter is only for the labels of samples
}

func (cfg *Config) readProfiles(c *cli.Context) error {
	for _, k := range profileKinds() {
		if err := notEmpty(c, k.flag); err != nil {
			return err
		}
		dir := c.String(k.flag)
		if dir == "" {
			continue
		}
		if cfg.profiles.dirs == nil {
			cfg.profiles.dirs = make(map[string]string)
		}
		cfg.profiles.dirs[k.flag] = dir
		if of, err := os.Stat(dir); err == nil && !of.IsDir() {
			return usage.Errorf("--%s %s: want the name of a folder", k.flag, dir)
		}
		if err := outfile.CheckFolder(filepath.Dir(filepath.Clean(dir))); err != nil {
			return err
		}
	}
	if cfg.profiles.dirs[cpuProfileFlag] != "" && cfg.Meter == nil {
		cfg.Meter, cfg.profiles.labels = meter.New(), true
	}
	return nil
}

// checkProfiles is called when the configuration is known, in the process that starts the ranks,
// too. Tools that read all files of a folder would mix runs.
func (cfg *Config) checkProfiles() error {
	if cfg.place != nil {
		return nil // other ranks may have begun
	}
	for _, k := range profileKinds() {
		if dir := cfg.profiles.dirs[k.flag]; dir != "" && len(k.files(dir)) > 0 {
			return usage.Errorf("--%s %s: the folder has the %s of another run: name another folder, or remove it", k.flag, dir, plural(k.what))
		}
	}
	return nil
}

func plural(what string) string {
	if what == "trace of the Go runtime" {
		return "traces of the Go runtime"
	}
	return what + "s"
}

func (k profileKind) files(dir string) []string {
	found, err := filepath.Glob(filepath.Join(dir, "rank*"+k.suffix))
	if err != nil {
		return nil // a folder whose name is a malformed pattern
	}
	return found
}

// profiling is what this process records of itself for its profiles.
type profiling struct {
	cfg   *Config
	files map[string]string // by flag
	cpu   bytes.Buffer
	trace *os.File
	once  sync.Once
	err   error
}

// startProfiles begins the profiles of this process, which has ranks. It returns nil if there are
// none.
func (cfg *Config) startProfiles() (*profiling, error) {
	if len(cfg.profiles.dirs) == 0 || cfg.replayed != nil {
		return nil, nil
	}
	p := &profiling{cfg: cfg, files: make(map[string]string)}
	for _, k := range profileKinds() {
		dir := cfg.profiles.dirs[k.flag]
		if dir == "" {
			continue
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, fmt.Errorf("--%s: %w", k.flag, err)
		}
		p.files[k.flag] = filepath.Join(dir, cfg.profileName()+k.suffix)
	}
	if path := p.files[goTraceFlag]; path != "" {
		var err error
		if p.trace, err = os.Create(path); err == nil {
			err = trace.Start(p.trace)
		}
		if err != nil {
			return nil, fmt.Errorf("--%s %s: %w", goTraceFlag, path, err)
		}
	}
	if p.files[cpuProfileFlag] != "" {
		if err := pprof.StartCPUProfile(&p.cpu); err != nil {
			return nil, fmt.Errorf("--%s: %w: the program must not profile itself, too", cpuProfileFlag, err)
		}
		cfg.Meter.Profile(true)
	}
	if cfg.watch != nil {
		// The process then ends with another error.
		cfg.watch.last(func() { _ = p.finish() }, cfg.sayProfiles)
	}
	return p, nil
}

// profileName says which ranks run in this process, and in which attempt if the job was started
// again.
func (cfg *Config) profileName() string {
	name := "rank0"
	switch {
	case cfg.isRank():
		name = fmt.Sprintf("rank%d", cfg.place.Rank)
	case cfg.Nodes > 1:
		name = fmt.Sprintf("ranks0-%d", cfg.Nodes-1)
	}
	if cfg.place != nil && cfg.place.Attempt > 0 {
		name += fmt.Sprintf(".attempt%d", cfg.place.Attempt)
	}
	return name
}

// finish writes the profiles, once. Any goroutine may call it.
func (p *profiling) finish() error {
	if p == nil {
		return nil
	}
	p.once.Do(func() {
		if path := p.files[cpuProfileFlag]; path != "" {
			p.cfg.Meter.Profile(false)
			pprof.StopCPUProfile()
			p.keep(cpuProfileFlag, outfile.Replace(path, func(w io.Writer) error {
				_, err := w.Write(p.cpu.Bytes())
				return err
			}))
		}
		if p.trace != nil {
			trace.Stop()
			p.keep(goTraceFlag, p.trace.Close())
		}
		if path := p.files[memProfileFlag]; path != "" {
			runtime.GC() // up-to-date numbers
			p.keep(memProfileFlag, outfile.Replace(path, func(w io.Writer) error { return pprof.Lookup("allocs").WriteTo(w, 0) }))
		}
	})
	return p.err
}

func (p *profiling) keep(flag string, err error) {
	if err != nil {
		p.err = errors.Join(p.err, fmt.Errorf("--%s %s: %w", flag, p.files[flag], err))
	}
}

// mostProfile is the size of a file that is brought to the host of rank 0, in bytes.
const mostProfile = 16 << 20

// bring writes the files of ranks on other hosts to the folders of rank 0. All ranks call it after
// a run without an error. A file that is too large stays where it is.
func (p *profiling) bring(ctx context.Context, t *Target) error {
	j, ok := t.Net.(dimmnet.Joiner)
	if p == nil || !ok || !t.isRank() || !t.place.Spans() {
		return nil
	}
	own := make(map[string][]byte) // by flag
	for flag, path := range p.files {
		if text, err := os.ReadFile(path); err == nil && len(text) <= mostProfile && t.Rank() != 0 {
			own[flag] = text
		}
	}
	text, err := json.Marshal(own)
	if err != nil {
		return fmt.Errorf("encoding profiles: %w", err)
	}
	all := make([][]byte, t.Nodes)
	err = dimmnet.GatherPieces(ctx, j, text, 1<<16, func(r int, piece []byte) {
		if t.Rank() == 0 {
			all[r] = append(all[r], piece...)
		}
	})
	if err != nil {
		return fmt.Errorf("gathering profiles: %w", err)
	}
	for r := 1; r < len(all) && t.Rank() == 0; r++ {
		err = errors.Join(err, p.take(r, all[r]))
	}
	return err
}

// take writes the files of a rank, unless the rank has written them to the same folder.
func (p *profiling) take(rank int, text []byte) error {
	var files map[string][]byte
	if err := json.Unmarshal(text, &files); err != nil {
		return fmt.Errorf("the profiles of rank %d: %w", rank, err)
	}
	other := *p.cfg
	place := *p.cfg.place
	place.Rank = rank
	other.place = &place
	for _, k := range profileKinds() {
		path := filepath.Join(other.profiles.dirs[k.flag], other.profileName()+k.suffix)
		if files[k.flag] == nil || p.files[k.flag] == "" {
			continue
		}
		if _, err := os.Stat(path); err == nil {
			continue
		}
		err := outfile.Replace(path, func(w io.Writer) error {
			_, err := w.Write(files[k.flag])
			return err
		})
		if err != nil {
			return fmt.Errorf("--%s %s: %w", k.flag, path, err)
		}
	}
	return nil
}

// sayProfiles prints what to type to look at the profiles. A rank leaves that to a launcher that
// has read its command line.
func (cfg *Config) sayProfiles(w io.Writer) {
	if cfg.isRank() && (inherits() || cfg.Rank() != 0) {
		return
	}
	for _, k := range profileKinds() {
		dir := cfg.profiles.dirs[k.flag]
		if dir == "" {
			continue
		}
		files := k.files(dir)
		switch {
		case len(files) == 0:
			fmt.Fprintf(w, "fagus: no %s in %s on this host: ranks on others leave theirs there if a run fails\n", k.what, dir)
		case k.each:
			fmt.Fprintf(w, "fagus: %d %s in %s, to see one by one: %s %s\n", len(files), plural(k.what), dir, k.tool, files[0])
		case len(files) == 1:
			fmt.Fprintf(w, "fagus: a %s: %s %s\n", k.what, k.tool, files[0])
		default:
			fmt.Fprintf(w, "fagus: %d %s: %s %s\n", len(files), plural(k.what), k.tool, filepath.Join(dir, "*"+k.suffix))
		}
	}
}
