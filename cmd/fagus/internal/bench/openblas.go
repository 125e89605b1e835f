package bench

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/apps/bench"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
)

// coreType is the environment variable that makes OpenBLAS use the kernels of a processor type.
// OpenBLAS reads it when it starts.
const coreType = "OPENBLAS_CORETYPE"

// openBLAS is a process of bench/blas/dgemm.c.
type openBLAS struct {
	core   string // the type whose kernels it uses, by its own account
	ask    io.WriteCloser
	answer *bufio.Reader
	cmd    *exec.Cmd
}

// startOpenBLAS starts the program at path with a number of threads. asked is the value of
// coreType; "" lets OpenBLAS look at the processor.
func startOpenBLAS(ctx context.Context, path, asked string, threads int) (*openBLAS, error) {
	cmd := exec.CommandContext(ctx, path)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, coreType+"=") })
	cmd.Env = append(cmd.Env, fmt.Sprintf("OPENBLAS_NUM_THREADS=%d", threads))
	if asked != "" {
		cmd.Env = append(cmd.Env, coreType+"="+asked)
	}
	ask, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	answer, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("bench: %w; make -C bench blas builds it, with Debian's libopenblas-dev", err)
	}
	p := &openBLAS{ask: ask, answer: bufio.NewReader(answer), cmd: cmd}
	line, err := p.answer.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("bench: start OpenBLAS: %w", cmp.Or(p.stop(), err))
	}
	p.core = strings.TrimSpace(line)
	return p, nil
}

// stop ends the process, and returns its error.
func (p *openBLAS) stop() error {
	_ = p.ask.Close() // fails if the process has ended
	return p.cmd.Wait()
}

// multiply lets OpenBLAS compute one product of order n, and returns its time in seconds.
func (p *openBLAS) multiply(ctx context.Context, n int) (seconds float64, err error) {
	if _, err = fmt.Fprintln(p.ask, n); err == nil {
		_, err = fmt.Fscanln(p.answer, &seconds)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return 0, fmt.Errorf("bench: measure OpenBLAS with order %d: %w", n, err)
	}
	return seconds, nil
}

// coreTrial is a short measurement of OpenBLAS with one value of coreType.
type coreTrial struct {
	Asked  string  `json:"asked"`            // the value; "" if the variable is not set
	Core   string  `json:"core,omitempty"`   // the type whose kernels OpenBLAS then uses
	Gflops float64 `json:"gflops,omitempty"` // the best rate, in 10^9 operations per second
	Failed string  `json:"failed,omitempty"` // why there is none
}

const (
	trialOrder   = 1024
	trialRounds  = 3
	trialSamples = 3 // of a round
)

// plausible returns the core types to try: what the environment asks for, OpenBLAS' own choice, and
// those whose instructions the kernel of Fagus has found on this processor. OpenBLAS may not know a
// type or choose badly: Debian's treats a processor that it does not know as a Pentium 4.
func plausible() []string {
	types := []string{os.Getenv(coreType), ""}
	switch {
	case runtime.GOARCH == "arm64":
		types = append(types, "ARMV8", "CORTEXA57", "NEOVERSEN1", "NEOVERSEV1")
	case bench.GemmKernel() == "AVX-512":
		types = append(types, "Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids")
	case bench.GemmKernel() == "AVX2":
		types = append(types, "Haswell", "Zen")
	case runtime.GOARCH == "amd64":
		types = append(types, "Prescott", "Nehalem", "Sandybridge")
	}
	return base.Union(nil, types...)
}

// try measures OpenBLAS with one core type. A type whose instructions the processor lacks ends the
// process, which the trial tells.
func try(ctx context.Context, path, asked string, threads int) (coreTrial, error) {
	t := coreTrial{Asked: asked}
	p, err := startOpenBLAS(ctx, path, asked, threads)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) || ctx.Err() != nil {
			return t, err
		}
		t.Failed = err.Error()
		return t, nil
	}
	t.Core = p.core
	for range trialSamples {
		seconds, err := p.multiply(ctx, trialOrder)
		if err != nil {
			t.Failed = cmp.Or(p.stop(), err).Error()
			return t, ctx.Err()
		}
		t.Gflops = max(t.Gflops, gflop(trialOrder)/seconds)
	}
	return t, p.stop()
}

// fastest tries all plausible core types, several times in turns because other programs may
// disturb a trial, and returns the index of the best one.
func fastest(ctx context.Context, path string, threads int) (trials []coreTrial, best int, err error) {
	types := plausible()
	trials = make([]coreTrial, len(types))
	for range trialRounds {
		for i, asked := range types {
			t, err := try(ctx, path, asked, threads)
			if err != nil {
				return nil, 0, err
			}
			if t.Gflops >= trials[i].Gflops {
				trials[i] = t
			}
			if trials[i].Gflops > trials[best].Gflops {
				best = i
			}
		}
	}
	if trials[best].Gflops == 0 {
		return nil, 0, fmt.Errorf("bench: OpenBLAS fails with every core type: %s", trials[0].Failed)
	}
	return trials, best, nil
}

// setting says how coreType was set.
func (t coreTrial) setting() string {
	if t.Asked == "" {
		return coreType + " is unset"
	}
	return coreType + "=" + t.Asked
}

func (t coreTrial) String() string {
	asked := cmp.Or(t.Asked, "unset")
	switch {
	case t.Failed != "":
		return asked + " fails"
	case strings.EqualFold(t.Asked, t.Core):
		return fmt.Sprintf("%s %.1f", asked, t.Gflops)
	}
	return fmt.Sprintf("%s (uses %s) %.1f", asked, t.Core, t.Gflops)
}
