package sp

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/npb/adi"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

func problemOf(c npb.Class) *adi.Problem {
	p := &adi.Problem{Steps: 400}
	switch c {
	case npb.S:
		p.N, p.Steps, p.DT = 12, 100, 1.5e-2
		p.Residual = [...]float64{2.7470315451339479e-02, 1.0360746705285417e-02, 1.6235745065095532e-02, 1.5840557224455615e-02, 3.4849040609362460e-02}
		p.Error = [...]float64{2.7289258557377227e-05, 1.0364446640837285e-05, 1.6154798287166471e-05, 1.5750704994480102e-05, 3.4177666183390531e-05}
	case npb.W:
		p.N, p.DT = 36, 1.5e-3
		p.Residual = [...]float64{0.1893253733584e-02, 0.1717075447775e-03, 0.2778153350936e-03, 0.2887475409984e-03, 0.3143611161242e-02}
		p.Error = [...]float64{0.7542088599534e-04, 0.6512852253086e-05, 0.1049092285688e-04, 0.1128838671535e-04, 0.1212845639773e-03}
	case npb.B:
		p.N, p.DT = 102, 1e-3
		p.Residual = [...]float64{0.6903293579998e+02, 0.3095134488084e+02, 0.4103336647017e+02, 0.3864769009604e+02, 0.5643482272596e+02}
		p.Error = [...]float64{0.9810006190188e-02, 0.1022827905670e-02, 0.1720597911692e-02, 0.1694479428231e-02, 0.1847456263981e-01}
	case npb.C:
		p.N, p.DT = 162, 0.67e-3
		p.Residual = [...]float64{0.5881691581829e+03, 0.2454417603569e+03, 0.3293829191851e+03, 0.3081924971891e+03, 0.4597223799176e+03}
		p.Error = [...]float64{0.2598120500183e+00, 0.2590888922315e-01, 0.5132886416320e-01, 0.4806073419454e-01, 0.5483377491301e+00}
	default:
		p.N, p.DT = 64, 1.5e-3
		p.Residual = [...]float64{2.4799822399300195, 1.1276337964368832, 1.5028977888770491, 1.4217816211695179, 2.1292113035138280}
		p.Error = [...]float64{1.0900140297820550e-04, 3.7343951769282091e-05, 5.0092785406541633e-05, 4.7671093939528255e-05, 1.3621613399213001e-04}
	}
	n := float64(p.N)
	p.Operations = 881.174*n*n*n - 4683.91*n*n + 11484.5*n - 19272.4
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
		return fmt.Errorf("sp: class %v %w", c, err)
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
