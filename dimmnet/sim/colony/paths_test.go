package colony

// localWritePath returns the states of a local write.
func localWritePath() []stop {
	return []stop{{mbus, idle}, {mbus, judge}, {mdc, idle}, {mbus, localWrite}, {mbus, comp}}
}

// localReadPath returns the states of a local read.
func localReadPath() []stop {
	path := []stop{{mbus, idle}, {mbus, judge}, {mdc, idle}, {mdc, localRead}}
	path = append(path, sramPath(replyMDC)...)
	return append(path, stop{mdc, waitLocal}, stop{mdc, replyData}, stop{mbus, wait}, stop{mbus, replyData}, stop{mbus, comp})
}

// local returns the clocks of accesses to a board's own memory.
func local() (write, read int) {
	t := tables(Burst)
	return sum(t, localWritePath()), sum(t, localReadPath())
}
