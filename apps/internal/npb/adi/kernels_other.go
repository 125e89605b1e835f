//go:build !amd64

package adi

func derive(v, u []float64, n int) { goDerive(v, u, n) }
func flux(to []float64, at *neighbours, n, normal int, c *coefficients) {
	goFlux(to, at, n, normal, c)
}
func dissipate(to, from []float64, rows *[5][]float64, w *[5]float64) { goDissipate(to, from, rows, w) }
func along(to [][components]Quad, m int, rows *[4][]float64)          { goAlong(to, m, rows) }
func across(to [][components]Quad, rows crossing, places *[components]int) {
	goAcross(to, rows, places)
}
func storeAcross(rows crossing, places *[components]int, from [][components]Quad) {
	goStoreAcross(rows, places, from)
}
func addAcross(rows crossing, places *[components]int, from [][components]Quad) {
	goAddAcross(rows, places, from)
}
func backAlong(rows *[4][]float64, from [][components]Quad, m int) { goBackAlong(rows, from, m) }
