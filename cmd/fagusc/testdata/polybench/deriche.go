package polybench

import "math"

// Deriche smooths an image of w x h pixels by Deriche's recursive filter of parameter alpha: it
// runs over every column of in, w x h, forwards and backwards, and then over every row of the
// result. All images are stored by x, that is, pixel (x, y) at x*h+y.
//
//fagus:parallel
func Deriche(out, in []float64, w, h int, alpha float64) {
	k := (1 - math.Exp(-alpha)) * (1 - math.Exp(-alpha)) / (1 + 2*alpha*math.Exp(-alpha) - math.Exp(2*alpha))
	a1, a2 := k, k*math.Exp(-alpha)*(alpha-1)
	a3, a4 := k*math.Exp(-alpha)*(alpha+1), -k*math.Exp(-2*alpha)
	b1, b2 := math.Pow(2, -alpha), -math.Exp(-2*alpha)
	forward, backward := make([]float64, w*h), make([]float64, w*h)
	for x := 0; x < w; x++ {
		y1, y2, in1 := 0.0, 0.0, 0.0
		for y := 0; y < h; y++ {
			forward[x*h+y] = a1*in[x*h+y] + a2*in1 + b1*y1 + b2*y2
			in1 = in[x*h+y]
			y1, y2 = forward[x*h+y], y1
		}
	}
	for x := 0; x < w; x++ {
		y1, y2, in1, in2 := 0.0, 0.0, 0.0, 0.0
		for y := h - 1; y >= 0; y-- {
			backward[x*h+y] = a3*in1 + a4*in2 + b1*y1 + b2*y2
			in1, in2 = in[x*h+y], in1
			y1, y2 = backward[x*h+y], y1
		}
	}
	for x := 0; x < w; x++ {
		for y := 0; y < h; y++ {
			out[x*h+y] = forward[x*h+y] + backward[x*h+y]
		}
	}
	for y := 0; y < h; y++ {
		y1, y2, out1 := 0.0, 0.0, 0.0
		for x := 0; x < w; x++ {
			forward[x*h+y] = a1*out[x*h+y] + a2*out1 + b1*y1 + b2*y2
			out1 = out[x*h+y]
			y1, y2 = forward[x*h+y], y1
		}
	}
	for y := 0; y < h; y++ {
		y1, y2, out1, out2 := 0.0, 0.0, 0.0, 0.0
		for x := w - 1; x >= 0; x-- {
			backward[x*h+y] = a3*out1 + a4*out2 + b1*y1 + b2*y2
			out1, out2 = out[x*h+y], out1
			y1, y2 = backward[x*h+y], y1
		}
	}
	for x := 0; x < w; x++ {
		for y := 0; y < h; y++ {
			out[x*h+y] = forward[x*h+y] + backward[x*h+y]
		}
	}
}
