package polybench

// Nussinov predicts the folding of an RNA sequence of n bases, 0 to 3, of which two match if
// their sum is 3: table[i*n+j] becomes the largest number of pairs among the bases i to j. The
// table, n x n, is zero on entry.
//
//fagus:parallel
func Nussinov(table []int, seq []int, n int) {
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j < n; j++ {
			best := max(table[i*n+j], table[i*n+j-1], table[(i+1)*n+j])
			if i < j-1 && seq[i]+seq[j] == 3 {
				best = max(best, table[(i+1)*n+j-1]+1)
			} else {
				best = max(best, table[(i+1)*n+j-1])
			}
			for k := i + 1; k < j; k++ {
				best = max(best, table[i*n+k]+table[(k+1)*n+j])
			}
			table[i*n+j] = best
		}
	}
}
