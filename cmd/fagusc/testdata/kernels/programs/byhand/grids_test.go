package byhand

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagusc/testdata/kernels/programs"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// arrays makes shared arrays, and returns their elements.
func arrays(node *fagus.Node, name string, count, length int) (all []*fagus.Array[float64], own [][]float64, err error) {
	for range count {
		a, err := fagus.NewArray[float64](node, again(node, name), length)
		if err != nil {
			return nil, nil, err
		}
		all, own = append(all, a), append(own, a.Slice())
	}
	return all, own, nil
}

// again makes a name unique to this call.
func again(node *fagus.Node, name string) string { return fmt.Sprintf("%s (%d)", name, node.Arrays()) }

// state is the velocities and the pressure at one time.
type state struct {
	*strips
	u, v, p []float64
}

func newState(node *fagus.Node, h, w int) (s state, err error) {
	all, own, err := arrays(node, "state", 3, h*w)
	if err != nil {
		return s, err
	}
	s.u, s.v, s.p = own[0], own[1], own[2]
	s.strips, err = newStrips(node, all[0].Name(), h-1, h, w, plane{all[0], 0, true, false}, plane{all[1], 0, false, true}, plane{all[2], 0, false, true})
	return s, err
}

// Water is [programs.Water]. A step takes two phases: fluxes are computed from what the ranks above
// and below have, and then velocities from the fluxes that these have. The values of the time
// before are private.
func Water(node *fagus.Node, u, v, p []float64, h, w, steps int) error {
	now, err := newState(node, h, w)
	if err != nil {
		return err
	}
	next, err := newState(node, h, w)
	if err != nil {
		return err
	}
	all, own, err := arrays(node, "fluxes", 4, h*w)
	if err != nil {
		return err
	}
	cu, cv, z, b := own[0], own[1], own[2], own[3]
	flux, err := newStrips(node, all[0].Name(), h-1, h, w, plane{all[0], 0, true, false}, plane{all[1], 0, false, true}, plane{all[2], 0, true, false}, plane{all[3], 0, false, true})
	if err != nil {
		return err
	}
	if err := phase(node, node.Set(now.all(now.write)...), func() {
		if node.Rank() == 0 {
			copy(now.u, u)
			copy(now.v, v)
			copy(now.p, p)
		}
	}); err != nil {
		return err
	}
	me := node.Rank()
	lo, hi := now.divided(me)
	rows := fagus.Time(hi-lo) * fagus.Nanosecond
	uo, vo, po := make([]float64, h*w), make([]float64, h*w), make([]float64, h*w)
	var fluxes, leap [2]*fagus.SyncSet
	for i, s := range []state{now, next} {
		other := []state{next, now}[i]
		fluxes[i] = node.Set(slices.Concat(flux.write(me), s.read(me), s.halo())...)
		leap[i] = node.Set(slices.Concat(other.write(me), flux.read(me), flux.halo(), s.read(me))...)
	}
	for step := range steps {
		if err := phase(node, fluxes[step%2], func() {
			programs.Fluxes(cu, cv, z, b, now.u, now.v, now.p, lo, hi, w, programs.Flux, programs.Flux)
			node.Spend(rows * fagus.Time(4*w-6))
		}); err != nil {
			return err
		}
		dt, smoothing := programs.Step(step)
		uf, vf, pf := uo, vo, po
		if step == 0 {
			uf, vf, pf = now.u, now.v, now.p
		}
		if err := phase(node, leap[step%2], func() {
			programs.Leap(next.u, next.v, next.p, uf, vf, pf, cu, cv, z, b, lo, hi, w, dt/8, dt/programs.Distance, dt/programs.Distance)
			programs.Smooth(uo, vo, po, now.u, now.v, now.p, next.u, next.v, next.p, lo, hi, w, smoothing)
			node.Spend(rows * fagus.Time(4*w-5))
		}); err != nil {
			return err
		}
		now, next = next, now
	}
	return phase(node, node.Set(now.all(now.read)...), func() {
		if node.Rank() == 0 {
			copy(u, now.u)
			copy(v, now.v)
			copy(p, now.p)
		}
	})
}

// Lattice is [programs.Lattice]. A step takes one phase. When it looks at the speed a Reduce
// follows.
func Lattice(node *fagus.Node, f []float64, wall []uint8, h, w, steps int, omega, lid float64) (most float64, err error) {
	all, own, err := arrays(node, "populations", 2, 9*h*w)
	if err != nil {
		return 0, err
	}
	walls, err := parts.NewGrid[uint8](node, again(node, "walls"), parts.Shape{Rows: h, Columns: w, Halo: 1})
	if err != nil {
		return 0, err
	}
	var fields [2]*strips
	for i, a := range all {
		var planes []plane
		for k := range 9 {
			planes = append(planes, plane{a, (k*h + 1) * w, slices.Contains([]int{4, 7, 8}, k), slices.Contains([]int{2, 5, 6}, k)})
		}
		if fields[i], err = newStrips(node, a.Name(), h-2, h-2, w, planes...); err != nil {
			return 0, err
		}
	}
	wants := fields[0].all(fields[0].write)
	if node.Rank() == 0 {
		wants = append(wants, walls.WantAll(fagus.Exclusive)...)
	}
	if err := phase(node, node.Set(wants...), func() {
		if node.Rank() == 0 {
			copy(own[0], f)
			copy(walls.Slice(), wall)
		}
	}); err != nil {
		return 0, err
	}
	me := node.Rank()
	lo, hi := fields[0].divided(me)
	lo, hi = lo+1, hi+1
	mask := make([]uint8, h*w)
	work := fagus.Time((hi-lo)*(w-2)) * fagus.Nanosecond
	var sets [2]*fagus.SyncSet
	for i, from := range fields {
		sets[i] = node.Set(slices.Concat(fields[1-i].write(me), from.read(me), from.halo())...)
	}
	first := slices.Concat(fields[1].write(me), fields[0].read(me), fields[0].halo(), walls.WantRows(lo-1, hi+1))
	if lo == hi {
		first = nil
	}
	set := node.Set(first...)
	for step := range steps {
		from, to, speed := own[step%2], own[1-step%2], 0.0
		if err := set.Do(func() {
			if step == 0 && lo < hi {
				copy(mask[(lo-1)*w:(hi+1)*w], walls.Slice()[(lo-1)*w:(hi+1)*w])
			}
			programs.Flow(to, from, mask, h, w, lo, hi, omega, lid)
			node.Spend(work)
			if step%programs.Every == 0 {
				speed = programs.Speed(to, mask, h, w, lo, hi)
				node.Spend(work)
			}
		}); err != nil {
			return 0, err
		}
		set = sets[1-step%2]
		if step%programs.Every > 0 {
			err = node.Fence()
		} else if speed, err = fagus.Reduce(node, speed, func(a, b float64) float64 { return max(a, b) }); err == nil {
			most = max(most, speed)
		}
		if err != nil {
			return 0, err
		}
	}
	last := fields[steps%2]
	return most, phase(node, node.Set(last.all(last.read)...), func() {
		if node.Rank() == 0 {
			copy(f, own[steps%2])
		}
	})
}
