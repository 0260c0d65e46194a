package annals

import (
	"os"
	"path/filepath"
	"strings"
)

// load lists the batches of an earlier owner. A torn last line is cut: its Track did not return.
func (f *spoolFolder) load() error {
	files, err := os.ReadDir(f.path)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, file := range files {
		if found := pendingFile.FindStringSubmatch(file.Name()); found != nil {
			names[found[1]] = true
		}
	}
	for _, file := range files {
		path := filepath.Join(f.path, file.Name())
		found := pendingFile.FindStringSubmatch(file.Name())
		switch {
		case strings.HasSuffix(file.Name(), ".tmp"):
			err = remove(path)
		case found == nil:
		case hasParent(found[1], names):
			// The request of its parent is repeated first, and makes it again.
			err = remove(path)
		default:
			err = f.loadEntry(&spoolEntry{name: found[1], state: spoolState(found[2])})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *spoolFolder) loadEntry(e *spoolEntry) error {
	path := f.pathOf(e)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := readSealed(data)
	switch e.state {
	case spoolSent:
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		e.sentAt = info.ModTime()
	case spoolOpen:
		lines = readLines(data)
		if lines.whole < len(data) {
			if err := os.Truncate(path, int64(lines.whole)); err != nil {
				return err
			}
		}
		if err := f.seal(e); err != nil {
			return err
		}
	}
	e.events, e.bytes = len(lines.texts)+len(lines.damaged), lines.whole
	f.entries = append(f.entries, e)
	return nil
}
