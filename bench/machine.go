package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"mintmark/internal/testkit/pgtest"
)

// describeMachine describes the machine that a report was measured on.
func describeMachine(directory string) string {
	parts := []string{
		field("/proc/cpuinfo", "model name", runtime.GOARCH),
		fmt.Sprintf("%d cores", runtime.NumCPU()),
		memory(),
		"a disk that takes " + syncTime(directory) + " to sync a write",
		strings.TrimSpace(runtime.GOOS + " " + read("/proc/sys/kernel/osrelease")),
		runtime.Version(),
	}
	if programs, err := pgtest.Programs(); err == nil {
		out, _ := exec.Command(filepath.Join(programs, "postgres"), "--version").Output()
		_, version, _ := strings.Cut(string(out), ") ")
		version, _, _ = strings.Cut(version, " ")
		parts = append(parts, "PostgreSQL "+strings.TrimSpace(version))
	}
	return strings.Join(parts, ", ")
}

// read returns the contents of a system file, or "" if it does not exist.
func read(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// field returns a field of a file of the system.
func field(file, name, otherwise string) string {
	for line := range strings.Lines(read(file)) {
		key, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return otherwise
}

func memory() string {
	var kib int
	_, err := fmt.Sscan(field("/proc/meminfo", "MemTotal", ""), &kib)
	if err != nil {
		return "memory of unknown size"
	}
	return fmt.Sprintf("%.0f GB of memory", float64(kib)/1e6)
}

// syncTime returns the time that the disk takes to sync a page, which bounds the speed of any
// write.
func syncTime(directory string) string {
	file, err := os.Create(filepath.Join(directory, "sync"))
	if err != nil {
		return "an unknown time"
	}
	defer file.Close()
	var taken []time.Duration
	for range 50 {
		began := time.Now()
		if _, err := file.Write(make([]byte, 4096)); err != nil {
			return "an unknown time"
		}
		if err := file.Sync(); err != nil {
			return "an unknown time"
		}
		taken = append(taken, time.Since(began))
	}
	return shown(median(taken))
}

// commit returns the measured commit, as git names it.
func commit() string {
	text, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "an unknown commit"
	}
	return strings.TrimSpace(string(text))
}

// shown formats a time with two or three digits.
func shown(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case ms < 1:
		return fmt.Sprintf("%.2f ms", ms)
	case ms < 10:
		return fmt.Sprintf("%.1f ms", ms)
	}
	return fmt.Sprintf("%.0f ms", ms)
}
