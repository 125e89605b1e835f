//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// browser is a tab of Chromium.
type browser struct {
	ctx context.Context

	mu     sync.Mutex
	errors []string // of scripts, and of what a page is not allowed
}

// openBrowser starts Chromium, until the test ends.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("there is no chromium in PATH (Debian: apt-get install chromium)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WSURLReadTimeout(time.Minute))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{ctx: ctx}
	err := chromedp.Listen(ctx, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.errors = append(b.errors, fmt.Sprint(e.ExceptionDetails.Text, " in line ", e.ExceptionDetails.LineNumber+1))
		case *runtime.EventConsoleAPICalled:
			b.errors = append(b.errors, fmt.Sprint("the page prints to the console: ", e.Type))
		case *log.EventEntryAdded:
			b.errors = append(b.errors, e.Entry.Text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// do takes actions, and fails if the page has errors.
func (b *browser) do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		t.Fatal(err)
	}
	b.check(t)
}

// check fails if the page has errors.
func (b *browser) check(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.errors {
		t.Errorf("the page has an error: %s", text)
	}
	b.errors = nil
}

// get returns the value of an expression of the page.
func get[T any](t *testing.T, b *browser, expression string) T {
	t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%v: %s", err, expression)
	}
	b.check(t)
	return v
}

// open loads a page in a window of a width, in a dark or a light theme, and checks that it fits and
// can be read there.
func (b *browser) open(t *testing.T, page string, width int64, theme string) {
	t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}}
	b.do(t, chromedp.EmulateViewport(width, 900), chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media)
		return err
	}), chromedp.Navigate("file://"+page))
	if over := get[int](t, b, `document.documentElement.scrollWidth - window.innerWidth`); over > 0 {
		widest := get[string](t, b, `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > window.innerWidth && !e.closest(".scroll")).map(e => e.tagName + "." + e.className).slice(0, 5).join(" ")`)
		t.Errorf("%s is %d pixels wider than a window of %d: %s", filepath.Base(page), over, width, widest)
	}
	if broken := get[int](t, b, `[...document.images].filter(i => i.complete && i.naturalWidth === 0).length`); broken > 0 {
		t.Errorf("%d pictures of %s cannot be shown", broken, filepath.Base(page))
	}
	if faint := get[string](t, b, faint); faint != "" {
		t.Errorf("%s, %s: text that can hardly be read: %s", filepath.Base(page), theme, faint)
	}
	b.picture(t, fmt.Sprintf("%s-%d-%s", strings.TrimSuffix(filepath.Base(page), ".html"), width, theme))
}

// faint returns the elements whose text has less contrast than WCAG 2 wants (4.5).
const faint = `(() => {
	const numbers = color => color.match(/[\d.]+/g).map(Number);
	const light = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const dark = matchMedia("(prefers-color-scheme: dark)").matches && getComputedStyle(document.documentElement).colorScheme.includes("dark");
	const under = e => {
		const layers = [];
		for (; e; e = e.parentElement) {
			const c = numbers(getComputedStyle(e).backgroundColor);
			if (c.length < 4 || c[3] > 0) layers.push(c);
			if (c.length < 4) break;
		}
		let back = dark ? [18, 18, 18] : [255, 255, 255];
		for (const c of layers.reverse()) { const a = c.length < 4 ? 1 : c[3]; back = back.map((v, i) => a * c[i] + (1 - a) * v); }
		return back;
	};
	const found = new Set();
	for (const e of document.querySelectorAll("body, body *")) {
		if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || !e.getClientRects().length || ["SCRIPT", "NOSCRIPT", "STYLE"].includes(e.tagName)) continue;
		const a = light(numbers(getComputedStyle(e).color)), b = light(under(e));
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (contrast < 4.5) found.add(e.tagName + "." + e.className + " " + contrast.toFixed(1));
	}
	return [...found].slice(0, 5).join(", ");
})()`

// picture writes a picture of the page to the folder FAGUS_PAGES, if it is set.
func (b *browser) picture(t *testing.T, name string) {
	t.Helper()
	folder := os.Getenv("FAGUS_PAGES")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o666); err != nil {
		t.Error(err)
	}
}

// everywhere opens a page in narrow and wide windows, in both themes.
func (b *browser) everywhere(t *testing.T, page string) {
	t.Helper()
	for _, width := range []int64{360, 1600} {
		for _, theme := range []string{"dark", "light"} {
			b.open(t, page, width, theme)
		}
	}
}

// makes runs a command of fagus in a folder.
func makes(t *testing.T, dir, line string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command(t, "fagus"), strings.Fields(line)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", line, err, out)
	}
}

// TestReportInChromium opens the page of fagus report, of few and of many ranks.
func TestReportInChromium(t *testing.T) {
	longtest.Third(t)
	b, dir := openBrowser(t), t.TempDir()
	for nodes, program := range map[int]string{2: "stencil", 1000: "workqueue"} {
		name := fmt.Sprintf("report%d", nodes)
		makes(t, dir, fmt.Sprintf("run %s --nodes %d --trace %s", program, nodes, name))
		makes(t, dir, fmt.Sprintf("report %s --html %[1]s.html", name))
		page := filepath.Join(dir, name+".html")
		b.everywhere(t, page)
		// In a narrow window a wide table moves within its frame, and the names of rows stay.
		b.open(t, page, 360, "light")
		moved := get[bool](t, b, `(() => {
			const frame = [...document.querySelectorAll(".scroll")].find(f => f.scrollWidth > f.clientWidth && f.querySelector("tbody th"));
			const name = frame.querySelector("tbody th"), cell = name.nextElementSibling, before = [name.getBoundingClientRect().left, cell.getBoundingClientRect().left];
			frame.scrollLeft = 100;
			return name.getBoundingClientRect().left === before[0] && cell.getBoundingClientRect().left === before[1] - 100;
		})()`)
		if !moved {
			t.Errorf("%d ranks: a wide table does not move beside the names of its rows", nodes)
		}
	}
}

// TestShowInChromium moves the slider of a page of fagus show.
func TestShowInChromium(t *testing.T) {
	longtest.Third(t)
	b, dir := openBrowser(t), t.TempDir()
	makes(t, dir, "run sor --n 64 --nodes 2 --record rec --record-values")
	makes(t, dir, "show rec red --columns 32 --out show.html")
	page := filepath.Join(dir, "show.html")
	b.everywhere(t, page)
	b.open(t, page, 1600, "light")
	shown := func(want string) {
		t.Helper()
		label := get[string](t, b, `document.getElementById("label").textContent`)
		picture := get[string](t, b, `[...document.images].map((m, i) => m.getClientRects().length ? i + 1 : 0).filter(i => i).join(" ")`)
		all := get[string](t, b, `String(document.images.length)`)
		want = strings.ReplaceAll(want, "N", all)
		if !strings.HasSuffix(label, "("+want+" of "+all+")") || picture != want {
			t.Errorf("the page shows the pictures %q of %s below %q, want %s", picture, all, label, want)
		}
	}
	shown("N")
	box := get[[]float64](t, b, `(r => [r.left, r.top + r.height / 2, r.right])(document.getElementById("at").getBoundingClientRect())`)
	b.do(t, chromedp.MouseClickXY(box[0]+2, box[1]))
	shown("1")
	b.do(t, chromedp.KeyEvent(kb.ArrowRight))
	shown("2")
	b.do(t, chromedp.MouseClickXY(box[2]-2, box[1]))
	shown("N")
	b.picture(t, "show-moved")
}

// TestCompareInChromium zooms the timelines of a page of fagus compare.
func TestCompareInChromium(t *testing.T) {
	longtest.Third(t)
	b, dir := openBrowser(t), t.TempDir()
	for _, nodes := range []int{2, 16} {
		makes(t, dir, fmt.Sprintf("compare matmul --n 64 --nodes %d --out compare%[1]d", nodes))
		page := filepath.Join(dir, fmt.Sprintf("compare%d.html", nodes))
		if err := os.Rename(filepath.Join(dir, fmt.Sprintf("compare%d", nodes), "index.html"), page); err != nil {
			t.Fatal(err)
		}
		b.everywhere(t, page)
		b.open(t, page, 1600, "light")
		drawn := func() string {
			return get[string](t, b, `[...document.querySelectorAll("canvas")].map(c => c.toDataURL()).join()`)
		}
		all := drawn()
		b.do(t, chromedp.Click(`[data-do="in"]`))
		zoomed := drawn()
		b.do(t, chromedp.Click(`[data-do="right"]`))
		moved := drawn()
		b.do(t, chromedp.Click(`[data-do="all"]`))
		if zoomed == all || moved == zoomed || moved == all || drawn() != all {
			t.Errorf("%d ranks: the buttons do not zoom and move the timelines, and back", nodes)
		}
		b.do(t, chromedp.ScrollIntoView("canvas"))
		box := get[[]float64](t, b, `(r => [r.left + 70, r.top + 34])(document.querySelector("canvas").getBoundingClientRect())`)
		b.do(t, chromedp.MouseEvent("mouseMoved", box[0], box[1]))
		if tip := get[string](t, b, `(e => e.getClientRects().length ? e.textContent : "")(document.getElementById("tip"))`); !strings.HasPrefix(tip, "rank 0 · ") {
			t.Errorf("%d ranks: above rank 0 the page says %q", nodes, tip)
		}
		b.picture(t, fmt.Sprintf("compare%d-tip", nodes))
		b.do(t, chromedp.Focus("canvas"), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowDown))
		if status := get[string](t, b, `document.getElementById("status").textContent`); !strings.Contains(status, ": rank 1 · ") {
			t.Errorf("%d ranks: after arrow keys the page says %q", nodes, status)
		}
	}
}
