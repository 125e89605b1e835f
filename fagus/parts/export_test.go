package parts

// SetMost sets how many bytes of a rank go in two steps.
func (a *AllToAll[T]) SetMost(bytes int) { a.most = bytes }
