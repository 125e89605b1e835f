package programs

// Sizes of k-means.
const (
	Clusters   = 8
	Dimensions = 3
)

// Model is the centres of all clusters, or sums of points. Behind the coordinates it has the number
// of points.
type Model [Clusters][Dimensions + 1]float64

// Assign finds the nearest centre of each point, and adds the points of each centre. It returns the
// number of points whose centre has changed.
//
//fagus:parallel
func Assign(points []float64, label []int, centres Model) (sums Model, changed int) {
	for i := range label {
		best, least := 0, 0.0
		for c := range Clusters {
			far := 0.0
			for j := range Dimensions {
				d := points[i*Dimensions+j] - centres[c][j]
				far += d * d
			}
			if c == 0 || far < least {
				best, least = c, far
			}
		}
		if label[i] != best {
			changed++
		}
		label[i] = best
		for j := range Dimensions {
			sums[best][j] += points[i*Dimensions+j]
		}
		sums[best][Dimensions]++
	}
	return sums, changed
}

// Move returns the centres of the points that Assign has added. A centre without points stays.
func Move(centres, sums Model) Model {
	for c := range centres {
		if n := sums[c][Dimensions]; n > 0 {
			for j := range sums[c] {
				centres[c][j] = sums[c][j] / n
			}
		}
	}
	return centres
}
