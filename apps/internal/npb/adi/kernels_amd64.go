package adi

import "golang.org/x/sys/cpu"

func derive(v, u []float64, n int) {
	if !cpu.X86.HasAVX2 {
		goDerive(v, u, n)
		return
	}
	v, u = v[:derived*n], u[:components*n]
	derive256(n, &v[0], &u[0])
}

func flux(to []float64, at *neighbours, n, normal int, c *coefficients) {
	if !cpu.X86.HasAVX2 {
		goFlux(to, at, n, normal, c)
		return
	}
	// Kernels reach four numbers at a time, and so at most two behind the last.
	reach := func(x []float64, fields int) *float64 { return &x[:fields*n][0] }
	flux256(n, normal, reach(to, components),
		reach(at.u[0], components), reach(at.u[1], components), reach(at.u[2], components),
		reach(at.v[0], derived), reach(at.v[1], derived), reach(at.v[2], derived), c)
}

func dissipate(to, from []float64, rows *[5][]float64, w *[5]float64) {
	n := len(to)
	if !cpu.X86.HasAVX2 {
		goDissipate(to, from, rows, w)
		return
	}
	from = from[:n]
	a, b, c, d, e := rows[0][:n], rows[1][:n], rows[2][:n], rows[3][:n], rows[4][:n]
	dissipate256(n, &to[0], &from[0], &a[0], &b[0], &c[0], &d[0], &e[0], w)
}

func along(to [][components]Quad, m int, rows *[4][]float64) {
	n := len(to)
	if !cpu.X86.HasAVX2 {
		goAlong(to, m, rows)
		return
	}
	a, b, c, d := rows[0][:n], rows[1][:n], rows[2][:n], rows[3][:n]
	along256(n, &to[0][m], &a[0], &b[0], &c[0], &d[0])
}

func backAlong(rows *[4][]float64, from [][components]Quad, m int) {
	n := len(from)
	if !cpu.X86.HasAVX2 {
		goBackAlong(rows, from, m)
		return
	}
	a, b, c, d := rows[0][:n], rows[1][:n], rows[2][:n], rows[3][:n]
	backAlong256(n, &from[0][m], &a[0], &b[0], &c[0], &d[0])
}

// reach returns the address of the first row of a crossing with n rows.
func (c *crossing) reach(n int, places *[components]int) *float64 {
	last := c.numbers[(n-1)*c.stride:]
	for _, at := range places {
		_ = last[at : at+4]
	}
	return &c.numbers[0]
}

func across(to [][components]Quad, rows crossing, places *[components]int) {
	n := len(to)
	if !cpu.X86.HasAVX2 {
		goAcross(to, rows, places)
		return
	}
	across256(n, &to[0], rows.reach(n, places), rows.stride, places)
}

func storeAcross(rows crossing, places *[components]int, from [][components]Quad) {
	n := len(from)
	if !cpu.X86.HasAVX2 {
		goStoreAcross(rows, places, from)
		return
	}
	storeAcross256(n, rows.reach(n, places), rows.stride, places, &from[0])
}

func addAcross(rows crossing, places *[components]int, from [][components]Quad) {
	n := len(from)
	if !cpu.X86.HasAVX2 {
		goAddAcross(rows, places, from)
		return
	}
	addAcross256(n, rows.reach(n, places), rows.stride, places, &from[0])
}

//go:noescape
func across256(n int, to *[components]Quad, rows *float64, stride int, places *[components]int)

//go:noescape
func storeAcross256(n int, rows *float64, stride int, places *[components]int, from *[components]Quad)

//go:noescape
func addAcross256(n int, rows *float64, stride int, places *[components]int, from *[components]Quad)

//go:noescape
func derive256(n int, v, u *float64)

//go:noescape
func flux256(n, normal int, to, uBefore, u, uAfter, vBefore, v, vAfter *float64, c *coefficients)

//go:noescape
func dissipate256(n int, to, from, a, b, c, d, e *float64, w *[5]float64)

//go:noescape
func along256(n int, to *Quad, a, b, c, d *float64)

//go:noescape
func backAlong256(n int, from *Quad, a, b, c, d *float64)
