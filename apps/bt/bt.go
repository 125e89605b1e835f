package bt

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/npb/adi"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

func problemOf(c npb.Class) *adi.Problem {
	p := &adi.Problem{Steps: 200}
	switch c {
	case npb.S:
		p.N, p.Steps, p.DT = 12, 60, 1e-2
		p.Residual = [...]float64{1.7034283709541311e-01, 1.2975252070034097e-02, 3.2527926989486055e-02, 2.6436421275166801e-02, 1.9211784131744430e-01}
		p.Error = [...]float64{4.9976913345811579e-04, 4.5195666782961927e-05, 7.3973765172921357e-05, 7.3821238632439731e-05, 8.9269630987491446e-04}
	case npb.W:
		p.N, p.DT = 24, 0.8e-3
		p.Residual = [...]float64{0.1125590409344e+03, 0.1180007595731e+02, 0.2710329767846e+02, 0.2469174937669e+02, 0.2638427874317e+03}
		p.Error = [...]float64{0.4419655736008e+01, 0.4638531260002e+00, 0.1011551749967e+01, 0.9235878729944e+00, 0.1018045837718e+02}
	case npb.B:
		p.N, p.DT = 102, 3e-4
		p.Residual = [...]float64{1.4233597229287254e+03, 9.9330522590150238e+01, 3.5646025644535285e+02, 3.2485447959084092e+02, 3.2707541254659363e+03}
		p.Error = [...]float64{5.2969847140936856e+01, 4.4632896115670668e+00, 1.3122573342210174e+01, 1.2006925323559144e+01, 1.2459576151035986e+02}
	case npb.C:
		p.N, p.DT = 162, 1e-4
		p.Residual = [...]float64{0.62398116551764615e+04, 0.50793239190423964e+03, 0.15423530093013596e+04, 0.13302387929291190e+04, 0.11604087428436455e+05}
		p.Error = [...]float64{0.16462008369091265e+03, 0.11497107903824313e+02, 0.41207446207461508e+02, 0.37087651059694167e+02, 0.36211053051841265e+03}
	default:
		p.N, p.DT = 64, 0.8e-3
		p.Residual = [...]float64{1.0806346714637264e+02, 1.1319730901220813e+01, 2.5974354511582465e+01, 2.3665622544678910e+01, 2.5278963211748344e+02}
		p.Error = [...]float64{4.2348416040525025e+00, 4.4390282496995698e-01, 9.6692480136345650e-01, 8.8302063039765474e-01, 9.7379901770829278e+00}
	}
	n := float64(p.N)
	p.Operations = 3478.8*n*n*n - 17655.7*n*n + 28023.7*n
	return p
}

// Units returns the number of planes that all steps of a class compute.
func Units(c npb.Class) int { return problemOf(c).Units() }

// Memory returns the least number of bytes that all ranks of a class need: for the solution, the
// right side and the forcing.
func Memory(c npb.Class, _ int) int { return problemOf(c).Memory() }

// Validate reports an error if there are more ranks than planes.
func Validate(c npb.Class, nodes int) error {
	if err := problemOf(c).Validate(nodes); err != nil {
		return fmt.Errorf("bt: class %v %w", c, err)
	}
	return nil
}

// Run runs the benchmark. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg npb.Config) (verify.Result, error) {
	if err := Validate(cfg.Class, n.Nodes()); err != nil {
		return verify.Result{}, err
	}
	p := problemOf(cfg.Class)
	return adi.Run(n, cfg, p, newSolver(p))
}

// Plain runs the benchmark without Fagus.
func Plain(cfg npb.Config, timed verify.Timer) verify.Result {
	p := problemOf(cfg.Class)
	return adi.Plain(cfg, timed, p, newSolver(p))
}
