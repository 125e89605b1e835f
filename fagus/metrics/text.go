package metrics

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The types of metrics.
const (
	counter   = "counter"
	gauge     = "gauge"
	histogram = "histogram"
	summary   = "summary"
)

// contentType is that of Prometheus's text format: prometheus.io/docs/instrumenting.
const contentType = "text/plain; version=0.0.4; charset=utf-8"

// family is a metric with all of its samples.
type family struct {
	name, kind, help string
	labels           []string
	samples          strings.Builder
}

// scrape is one answer to Prometheus: the families in the order in which they were added.
type scrape struct {
	order  []*family
	byName map[string]*family
}

func newScrape() *scrape { return &scrape{byName: make(map[string]*family)} }

// add adds a metric without samples.
func (s *scrape) add(name, kind, help string, labels ...string) {
	f := &family{name: name, kind: kind, help: help, labels: labels}
	s.order, s.byName[name] = append(s.order, f), f
}

// put adds a sample of a metric, with a value for each of its labels.
func (s *scrape) put(name string, v float64, values ...string) {
	s.sample(name, "", v, "", "", values...)
}

// sample adds a sample of a part of a metric: the suffix is that of histograms and summaries, and
// the label extra, unless it is empty, has the value of.
func (s *scrape) sample(name, suffix string, v float64, extra, of string, values ...string) {
	f := s.byName[name]
	if f == nil || len(values) != len(f.labels) {
		panic(fmt.Sprintf("metrics: a sample of %s with the values %q, and the metric is %v", name, values, f))
	}
	b := &f.samples
	b.WriteString(name + suffix)
	between := "{"
	label := func(name, value string) {
		fmt.Fprintf(b, "%s%s=\"%s\"", between, name, escape(value))
		between = ","
	}
	for i, l := range f.labels {
		label(l, values[i])
	}
	if extra != "" {
		label(extra, of)
	}
	if between == "," {
		b.WriteString("}")
	}
	b.WriteString(" " + number(v) + "\n")
}

// buckets adds a histogram: how many values are at most each bound, in growing order, all values,
// and their sum.
func (s *scrape) buckets(name string, bounds []float64, most []uint64, count uint64, sum float64, values ...string) {
	for i, bound := range bounds {
		s.sample(name, "_bucket", float64(most[i]), "le", number(bound), values...)
	}
	s.sample(name, "_bucket", float64(count), "le", "+Inf", values...)
	s.sample(name, "_sum", sum, "", "", values...)
	s.sample(name, "_count", float64(count), "", "", values...)
}

// number returns a value as Prometheus reads it.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// escape returns the value of a label between its quotation marks.
func escape(value string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(strings.ToValidUTF8(value, "?"))
}

// writeTo writes the metrics that have samples.
func (s *scrape) writeTo(w io.Writer) error {
	for _, f := range s.order {
		if f.samples.Len() == 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "# HELP %[1]s %[2]s\n# TYPE %[1]s %[3]s\n%[4]s", f.name, f.help, f.kind, f.samples.String()); err != nil {
			return err
		}
	}
	return nil
}
