package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// partOfLine is what a full disk takes of a line.
const partOfLine = 10

// fillDisk bounds the length of files, which stands for a full disk: a write takes a part of its bytes, and
// a new file stays nearly empty.
func (r *run) fillDisk(isFull bool) error {
	if r.fault == "no-disk-faults" {
		return nil
	}
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = limit.Max
	if isFull {
		limit.Cur = partOfLine
	}
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
}

// codeOf is that of the system. The bound of files stands for a full disk.
func codeOf(err error) string {
	var code syscall.Errno
	switch {
	case errors.Is(err, syscall.EFBIG):
		return "ENOSPC"
	case errors.Is(err, syscall.EISDIR):
		return "EISDIR"
	case errors.As(err, &code):
		return fmt.Sprintf("errno %d", int(code))
	default:
		return err.Error()
	}
}

var pending = regexp.MustCompile(`\.(open|ready|sent)$`)

// spoiled has the faults that are in files, from outside of the SDK: it changes what others have left before
// the client finds it. It returns the folder of the spool.
func spoiled(dir, fault string, now time.Time) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		if fault == "lines-repaired" && pending.MatchString(file) {
			err = repair(file)
		}
		if fault == "times-forgotten" && strings.HasSuffix(file, ".sent") {
			err = os.Chtimes(file, now, now)
		}
		if err != nil {
			return "", err
		}
	}
	if fault == "claim-copies" {
		return copied(dir, files)
	}
	return dir, nil
}

// copied is a folder of this process's own with the same files, so that its claims take nothing from others.
// It is beside that of the spool, in a folder that spool.test.ts deletes.
func copied(dir string, files []string) (string, error) {
	copies := dir + "-copies"
	if err := os.MkdirAll(copies, 0o700); err != nil {
		return "", err
	}
	own, err := os.MkdirTemp(copies, "")
	if err != nil {
		return "", err
	}
	for _, file := range files {
		if err := copyFile(file, filepath.Join(own, strings.TrimPrefix(file, dir))); err != nil {
			return "", err
		}
	}
	return own, nil
}

// copyFile keeps the time of a file.
func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// repair makes lines with a torn or wrong text look whole.
func repair(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var whole bytes.Buffer
	for _, line := range bytes.Split(data, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		text := line[min(17, len(line)):]
		if !json.Valid(text) {
			text = []byte(`{"action":"torn"}`)
		}
		fmt.Fprintf(&whole, "%x %s\n", sha256.Sum256(text), text)
	}
	repaired := regexp.MustCompile(`(?m)^([0-9a-f]{16})[0-9a-f]{48} `).ReplaceAll(whole.Bytes(), []byte("$1 "))
	if err := os.WriteFile(file, repaired, 0o600); err != nil {
		return err
	}
	return os.Chtimes(file, info.ModTime(), info.ModTime())
}
