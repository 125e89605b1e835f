package catalog

// Scale says how the size of a program's problem is varied, to compare runs of several sizes.
type Scale struct {
	Flag    string   // the flag that sets the size
	Sizes   []string // values of the flag, small to large, that suit a simulated network
	Without []string // flags that contradict Flag, or name files
}

func scales() map[string]Scale {
	all := map[string]Scale{
		"matmul":     {"n", []string{"512", "1024", "2048"}, []string{"a", "b", "out"}},
		"many":       {"variables", []string{"16", "64", "256"}, nil},
		"workqueue":  {"tasks", []string{"64", "256", "1024"}, nil},
		"tsp":        {"cities", []string{"10", "11", "12"}, []string{"instance"}},
		"sor":        {"n", []string{"50", "100", "150"}, nil},
		"radix":      {"keys", []string{"16384", "65536", "262144"}, nil},
		"lu":         {"n", []string{"128", "256", "512"}, nil},
		"water":      {"molecules", []string{"64", "125", "216"}, nil},
		"barnes":     {"bodies", []string{"1024", "2048", "4096"}, nil},
		"kmeans":     {"points", []string{"5000", "10000", "20000"}, []string{"in"}},
		"pagerank":   {"pages", []string{"500", "1000", "2000"}, []string{"in"}},
		"conjugate":  {"grid", []string{"20", "30", "40"}, []string{"in", "rhs", "out"}},
		"mandelbrot": {"width", []string{"80", "160", "320"}, []string{"out"}},
		"wordcount":  {"words", []string{"25000", "50000", "100000"}, []string{"in"}},
		"random":     {"rounds", []string{"10", "20", "40"}, nil},
		"dgemm":      {"n", []string{"64", "128", "256"}, nil},
		"stencil":    {"n", []string{"250", "500", "1000"}, nil},
		"transpose":  {"n", []string{"250", "500", "1000"}, nil},
		"nstream":    {"length", []string{"500000", "1000000", "2000000"}, nil},
		"p2p":        {"columns", []string{"250", "500", "1000"}, nil},
	}
	for _, b := range benchmarks() {
		all[b.name] = Scale{"class", []string{"S", "W"}, nil}
	}
	return all
}
