package programs

// Fluxes computes the mass fluxes cu and cv, the potential vorticity z and the Bernoulli function b
// of the velocities u and v and the pressure p, in the rows lo to hi-1. See [Water] for the grids.
// fx and fy are 4 divided by the distances of points.
//
//fagus:parallel
func Fluxes(cu, cv, z, b, u, v, p []float64, lo, hi, w int, fx, fy float64) {
	for i := lo; i < hi; i++ {
		for j := 0; j < w-1; j++ {
			b[i*w+j] = p[i*w+j] + 0.25*(u[(i+1)*w+j]*u[(i+1)*w+j]+u[i*w+j]*u[i*w+j]+
				v[i*w+j+1]*v[i*w+j+1]+v[i*w+j]*v[i*w+j])
		}
		for j := 1; j < w-1; j++ {
			cv[i*w+j] = 0.5 * (p[i*w+j] + p[i*w+j-1]) * v[i*w+j]
		}
		if i > 0 {
			for j := 0; j < w-1; j++ {
				cu[i*w+j] = 0.5 * (p[i*w+j] + p[(i-1)*w+j]) * u[i*w+j]
			}
			for j := 1; j < w-1; j++ {
				z[i*w+j] = (fx*(v[i*w+j]-v[(i-1)*w+j]) - fy*(u[i*w+j]-u[i*w+j-1])) /
					(p[(i-1)*w+j-1] + p[i*w+j-1] + p[i*w+j] + p[(i-1)*w+j])
			}
		}
	}
}

// Leap computes the velocities and the pressure of the next time from those of the time before and
// the fluxes between the two. The factors include the length of the step.
//
//fagus:parallel
func Leap(un, vn, pn, uo, vo, po, cu, cv, z, b []float64, lo, hi, w int, turn, fx, fy float64) {
	for i := lo; i < hi; i++ {
		for j := 0; j < w-1; j++ {
			pn[i*w+j] = po[i*w+j] - fx*(cu[(i+1)*w+j]-cu[i*w+j]) - fy*(cv[i*w+j+1]-cv[i*w+j])
		}
		for j := 1; j < w-1; j++ {
			vn[i*w+j] = vo[i*w+j] - turn*(z[(i+1)*w+j]+z[i*w+j])*
				(cu[(i+1)*w+j]+cu[i*w+j]+cu[i*w+j-1]+cu[(i+1)*w+j-1]) - fy*(b[i*w+j]-b[i*w+j-1])
		}
		if i > 0 {
			for j := 0; j < w-1; j++ {
				un[i*w+j] = uo[i*w+j] + turn*(z[i*w+j+1]+z[i*w+j])*
					(cv[i*w+j+1]+cv[(i-1)*w+j+1]+cv[(i-1)*w+j]+cv[i*w+j]) - fx*(b[i*w+j]-b[(i-1)*w+j])
			}
		}
	}
}

// Smooth replaces the values of the time before, which are not needed any more, by those of now,
// smoothed in time by alpha.
//
//fagus:parallel
func Smooth(uo, vo, po, u, v, p, un, vn, pn []float64, lo, hi, w int, alpha float64) {
	for i := lo; i < hi; i++ {
		for j := 0; j < w-1; j++ {
			uo[i*w+j] = u[i*w+j] + alpha*(un[i*w+j]-2*u[i*w+j]+uo[i*w+j])
			vo[i*w+j] = v[i*w+j] + alpha*(vn[i*w+j]-2*v[i*w+j]+vo[i*w+j])
			po[i*w+j] = p[i*w+j] + alpha*(pn[i*w+j]-2*p[i*w+j]+po[i*w+j])
		}
	}
}
