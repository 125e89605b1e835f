package metrics

import (
	"bufio"
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// collectGo adds what Go says of the process, by the names that Prometheus's library has for it.
func collectGo(s *scrape) {
	s.add("go_info", gauge, "1; the label is the version of Go.", "version")
	s.put("go_info", 1, runtime.Version())
	s.add("go_goroutines", gauge, "Goroutines that exist.")
	s.put("go_goroutines", float64(runtime.NumGoroutine()))
	threads, _ := runtime.ThreadCreateProfile(nil)
	s.add("go_threads", gauge, "Threads of the operating system that were created.")
	s.put("go_threads", float64(threads))

	pauses := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&pauses)
	s.add("go_gc_duration_seconds", summary, "Pauses for the collection of garbage.")
	for i, pause := range pauses.PauseQuantiles {
		s.sample("go_gc_duration_seconds", "", pause.Seconds(), "quantile", number(float64(i)/4))
	}
	s.sample("go_gc_duration_seconds", "_sum", pauses.PauseTotal.Seconds(), "", "")
	s.sample("go_gc_duration_seconds", "_count", float64(pauses.NumGC), "", "")

	for _, m := range []struct {
		name, kind, help string
		of               []string // their sum
	}{
		{"alloc_bytes", gauge, "Bytes of objects in the heap.", []string{"/memory/classes/heap/objects:bytes"}},
		{"alloc_bytes_total", counter, "Bytes of all objects that were allocated.", []string{"/gc/heap/allocs:bytes"}},
		{"heap_objects", gauge, "Objects in the heap.", []string{"/gc/heap/objects:objects"}},
		{"heap_inuse_bytes", gauge, "Bytes of the heap that are in use.", []string{"/memory/classes/heap/objects:bytes", "/memory/classes/heap/unused:bytes"}},
		{"heap_idle_bytes", gauge, "Bytes of the heap that are free.", []string{"/memory/classes/heap/free:bytes", "/memory/classes/heap/released:bytes"}},
		{"heap_released_bytes", gauge, "Bytes of the heap that the operating system has back.", []string{"/memory/classes/heap/released:bytes"}},
		{"stack_inuse_bytes", gauge, "Bytes of stacks.", []string{"/memory/classes/heap/stacks:bytes"}},
		{"next_gc_bytes", gauge, "Bytes in the heap at which garbage is collected next.", []string{"/gc/heap/goal:bytes"}},
		{"sys_bytes", gauge, "Bytes from the operating system.", []string{"/memory/classes/total:bytes"}},
	} {
		sum := uint64(0)
		for _, name := range m.of {
			read := []metrics.Sample{{Name: name}}
			if metrics.Read(read); read[0].Value.Kind() == metrics.KindUint64 {
				sum += read[0].Value.Uint64()
			}
		}
		s.add("go_memstats_"+m.name, m.kind, m.help)
		s.put("go_memstats_"+m.name, float64(sum))
	}
}

// clockTicks is how many ticks of /proc a second has on Linux, on every machine.
const clockTicks = 100

// collectProcess adds what /proc says of the process, by the names that Prometheus's library has
// for it. Other systems than Linux have no /proc.
func collectProcess(s *scrape) {
	stat, err := os.ReadFile("/proc/self/stat")
	_, text, ok := bytes.Cut(stat, []byte(") ")) // behind the name of the program
	fields := strings.Fields(string(text))
	if err != nil || !ok || len(fields) < 22 {
		return
	}
	field := func(number int) float64 { // as proc(5) counts them
		v, _ := strconv.ParseFloat(fields[number-3], 64) // the kernel writes numbers
		return v
	}
	one := func(name, kind, help string, v float64) {
		s.add("process_"+name, kind, help)
		s.put("process_"+name, v)
	}
	one("cpu_seconds_total", counter, "Processor time of the process.", (field(14)+field(15))/clockTicks)
	one("resident_memory_bytes", gauge, "Memory of the process that is resident.", field(24)*float64(os.Getpagesize()))
	one("virtual_memory_bytes", gauge, "Size of the process's address space.", field(23))
	if boot, ok := valueIn("/proc/stat", "btime"); ok {
		one("start_time_seconds", gauge, "When the process was started, in Unix time.", boot+field(22)/clockTicks)
	}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		one("open_fds", gauge, "Open files of the process.", float64(len(files)))
	}
	if most, ok := valueIn("/proc/self/limits", "Max open files"); ok {
		one("max_fds", gauge, "Files that the process may have open.", most)
	}
}

// valueIn returns the number behind the name at the begin of a line of a file.
func valueIn(path, name string) (v float64, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), name); ok && strings.TrimSpace(rest) != "" {
			v, err = strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return v, err == nil
		}
	}
	return 0, false
}
