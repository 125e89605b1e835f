package is

import "slices"

// scatter appends every key to the message for its bucket's rank.
func scatter(to [][]int32, keys, owner []int32, shift int) {
	for _, key := range keys {
		r := owner[key>>(shift&31)]
		to[r] = append(to[r], key)
	}
}

// tally counts keys by value; counts[0] is the number of keys equal to lo.
func tally(counts, keys []int32, lo int) {
	for _, key := range keys {
		counts[int(key)-lo]++
	}
}

// accumulate replaces every count by the sum of itself and all counts before it.
func accumulate(counts []int32) {
	sum := int32(0)
	for i, c := range counts {
		sum += c
		counts[i] = sum
	}
}

// missing marks an element of the sorted keys that no key has been put into.
const missing = -1

func unsorted(count int) []int32 { return slices.Repeat([]int32{missing}, count) }

// place puts every key into sorted at its rank, which it takes from next[key-lo] and increments,
// so that the next equal key follows. The first element of sorted has rank lesser.
func place(sorted, next, keys []int32, lo int, lesser int32) {
	for _, key := range keys {
		rank := &next[int(key)-lo]
		sorted[*rank-lesser] = key
		*rank++
	}
}

// inOrder reports whether every element of sorted holds a key and keys never decrease.
func inOrder(sorted []int32) bool {
	return !slices.Contains(sorted, missing) && slices.IsSorted(sorted)
}
