package annals

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

type spoolState string

const (
	spoolOpen  spoolState = "open"
	spoolReady spoolState = "ready"
	spoolSent  spoolState = "sent"
)

// spoolEntry is one batch of a folder.
type spoolEntry struct {
	// name is 0000000007, or 0000000007-1 after a refusal.
	name   string
	state  spoolState
	events int
	bytes  int
	// sentAt is when the first attempt began after which it may be stored.
	sentAt time.Time
	// isInMemory: the disk did not take it, and texts has its events.
	isInMemory bool
	texts      [][]byte
}

// spoolFolder is one owner's folder: its batches as files (docs/spool-format.md). A file must never be
// deleted before what replaces it is on disk. Its methods that write are called without the lock, but forget.
type spoolFolder struct {
	path string
	// owner is the first owner's name, with which keys begin.
	owner string
	// isOwn: the events of this client were tracked here.
	isOwn bool
	// isMade: it is there, with its owner.json.
	isMade   bool
	isSynced bool
	// mu is the lock of the tracker. It guards entries, and what of an entry can change while it is open.
	mu      *sync.Mutex
	entries []*spoolEntry
}

var pendingFile = regexp.MustCompile(`^(\d{10}(?:-[12])*)\.(open|ready|sent)$`)

func newFolder(dir, name string, isSynced bool, mu *sync.Mutex) *spoolFolder {
	owner, _, _ := strings.Cut(name, "~")
	return &spoolFolder{path: filepath.Join(dir, name), owner: owner, isSynced: isSynced, mu: mu}
}

func (f *spoolFolder) exists() bool {
	_, err := os.Stat(f.path)
	return err == nil
}

func (f *spoolFolder) keyOf(e *spoolEntry) string { return f.owner + "-" + e.name }

func (f *spoolFolder) pathOf(e *spoolEntry) string {
	return filepath.Join(f.path, e.name+"."+string(e.state))
}

// touch tells other processes that the owner lives, or with the time 0 of Unix that it does not.
func (f *spoolFolder) touch(now time.Time) error {
	return os.Chtimes(filepath.Join(f.path, ownerFile), now, now)
}

func (f *spoolFolder) writeOwner(owner spoolOwner, now time.Time) error {
	text, err := json.Marshal(owner)
	if err != nil {
		return err
	}
	if err := f.write(ownerFile, append(text, '\n')); err != nil {
		return err
	}
	return f.touch(now)
}

func (f *spoolFolder) read(e *spoolEntry) (spoolLines, error) {
	if e.isInMemory {
		return spoolLines{texts: e.texts, whole: e.bytes}, nil
	}
	data, err := os.ReadFile(f.pathOf(e))
	return readSealed(data), err
}

// seal makes an open file one that never changes again.
func (f *spoolFolder) seal(e *spoolEntry) error {
	if err := f.syncPath(f.pathOf(e)); err != nil {
		return err
	}
	return f.rename(e, spoolReady)
}

func (f *spoolFolder) markSent(e *spoolEntry, began time.Time) error {
	if !e.isInMemory {
		if err := os.Chtimes(f.pathOf(e), began, began); err != nil {
			return err
		}
		if err := f.rename(e, spoolSent); err != nil {
			return err
		}
	}
	e.sentAt = began
	return nil
}

// markUnsent: certainly no attempt has stored it.
func (f *spoolFolder) markUnsent(e *spoolEntry) error {
	if !e.isInMemory {
		if err := f.rename(e, spoolReady); err != nil {
			return err
		}
	}
	e.sentAt = time.Time{}
	return nil
}

// parts writes the batches that come in the place of one of which nothing is stored. Empty ones are left
// out.
func (f *spoolFolder) parts(e *spoolEntry, texts ...[][]byte) ([]*spoolEntry, error) {
	var made []*spoolEntry
	for index, each := range texts {
		if len(each) == 0 {
			continue
		}
		part := &spoolEntry{name: e.name + "-" + string(rune('1'+index)), state: spoolReady, events: len(each)}
		var data bytes.Buffer
		for _, text := range each {
			data.Write(lineOf(text))
		}
		part.bytes = data.Len()
		if e.isInMemory {
			part.isInMemory, part.texts = true, each
		} else if err := f.write(filepath.Base(f.pathOf(part)), data.Bytes()); err != nil {
			return nil, err
		}
		made = append(made, part)
	}
	return made, nil
}

// keep writes a file for a person. It returns its bytes.
func (f *spoolFolder) keep(e *spoolEntry, as string, lines [][]byte) (int, error) {
	if e.isInMemory {
		return 0, nil
	}
	data := bytes.Join(lines, nil)
	return len(data), f.write(e.name+"."+as, data)
}

// keepFile keeps the whole file for a person.
func (f *spoolFolder) keepFile(e *spoolEntry, as string) error {
	if e.isInMemory {
		return nil
	}
	if err := os.Rename(f.pathOf(e), filepath.Join(f.path, e.name+"."+as)); err != nil {
		return err
	}
	return f.syncPath(f.path)
}

func (f *spoolFolder) remove(e *spoolEntry) error {
	if e.isInMemory {
		return nil
	}
	return remove(f.pathOf(e))
}

// forget takes a batch from the list, and puts others in its place.
func (f *spoolFolder) forget(e *spoolEntry, others ...*spoolEntry) {
	if at := slices.Index(f.entries, e); at >= 0 {
		f.entries = slices.Replace(f.entries, at, at+1, others...)
	}
}

// removeIfEmpty deletes the folder if no file is left. One with files for a person stays.
func (f *spoolFolder) removeIfEmpty() error {
	files, err := os.ReadDir(f.path)
	if err != nil {
		return nil
	}
	for _, file := range files {
		if file.Name() != ownerFile {
			return nil
		}
	}
	if err := remove(filepath.Join(f.path, ownerFile)); err != nil {
		return err
	}
	// Another process may have put something into it.
	_ = os.Remove(f.path)
	return nil
}

func (f *spoolFolder) rename(e *spoolEntry, state spoolState) error {
	from := f.pathOf(e)
	to := filepath.Join(f.path, e.name+"."+string(state))
	if err := os.Rename(from, to); err != nil {
		return err
	}
	f.mu.Lock()
	e.state = state
	f.mu.Unlock()
	return f.syncPath(f.path)
}

// write makes a file that is whole, or not there.
func (f *spoolFolder) write(name string, data []byte) error {
	path := filepath.Join(f.path, name)
	if err := writeNew(path+".tmp", data, f.isSynced); err != nil {
		return err
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		return err
	}
	return f.syncPath(f.path)
}

func (f *spoolFolder) syncPath(path string) error {
	if !f.isSynced {
		return nil
	}
	return syncPath(path)
}

// flush is another function in tests.
var flush = (*os.File).Sync

// syncPath flushes a file or a folder.
func syncPath(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(flush(file), file.Close())
}

// remove deletes a file that may be gone.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
