package annals

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	touchEvery = 20 * time.Second
	syncAfter  = 100 * time.Millisecond
)

// ownFolder is the folder of this process: it appends events to it, or to memory if the disk does not take
// them, and makes another when the folder was claimed. It must never take an event of which less than a
// whole line was written, unless it is in memory. The lock of the tracker guards it.
type ownFolder struct {
	spool *Spool
	clock Clock
	// mu is the lock of the tracker.
	mu      *sync.Mutex
	isFull  func(*spoolEntry) bool
	problem func(error)
	// onLost is called with a folder that another process has claimed.
	onLost func(*spoolFolder)

	owner      spoolOwner
	folder     *spoolFolder
	touched    time.Time
	isInMemory bool

	number int
	// open is what is being written to file; nil if nothing is.
	open *spoolEntry
	file *os.File
	// timer will flush open; nil if that is not due. syncing counts those of all files.
	timer   *time.Timer
	syncing sync.WaitGroup
}

func newOwnFolder(spool *Spool, clock Clock, mu *sync.Mutex) *ownFolder {
	o := &ownFolder{spool: spool, clock: clock, mu: mu}
	o.owner.spoolProcess = thisProcess()
	o.folder = o.named()
	return o
}

func (o *ownFolder) named() *spoolFolder {
	isSynced := o.spool.options.Sync != SyncNone
	folder := newFolder(o.spool.dir, ownerName(o.clock.Now()), isSynced, o.mu)
	folder.isOwn = true
	return folder
}

// name is the first owner's name, that of this process.
func (o *ownFolder) name() string { return o.folder.owner }

// append takes a line to disk, and else to memory. False if neither has space.
func (o *ownFolder) append(line []byte) bool {
	err := o.appendToDisk(line)
	if err == nil {
		o.isInMemory = false
		return true
	}
	if !o.isInMemory {
		o.problem(err)
	}
	o.isInMemory = true
	return o.appendToMemory(line)
}

func (o *ownFolder) appendToDisk(line []byte) error {
	if o.clock.Now().Sub(o.touched) >= touchEvery {
		if err := o.touch(); err != nil {
			return err
		}
	}
	for {
		if !o.folder.isMade || !o.folder.exists() {
			if err := o.make(); err != nil {
				return err
			}
		}
		if o.open != nil && o.isFull(o.open) {
			o.end()
		}
		err := o.write(line)
		// Who claims a folder renames it first, and so reads a line whose folder is still here after its
		// write.
		if o.folder.exists() {
			return err
		}
	}
}

// write appends a line to the open file.
func (o *ownFolder) write(line []byte) error {
	if o.open == nil {
		if err := o.create(); err != nil {
			return err
		}
	}
	_, err := o.file.Write(line)
	if err == nil && o.spool.options.Sync == SyncEvent {
		err = o.file.Sync()
	}
	if err != nil {
		return errors.Join(err, o.undo())
	}
	o.open.events++
	o.open.bytes += len(line)
	if o.spool.options.Sync == SyncBatch {
		o.syncSoon(o.open.events == 1)
	}
	return nil
}

// undo takes back what was written of a line, which must not stay in front of others, and ends the file.
func (o *ownFolder) undo() error {
	e := o.open
	err := o.file.Truncate(int64(e.bytes))
	o.end()
	if e.events == 0 {
		o.folder.forget(e)
		err = errors.Join(err, o.folder.remove(e))
	}
	return err
}

func (o *ownFolder) create() error {
	e := &spoolEntry{name: o.nextName(), state: spoolOpen}
	file, err := os.OpenFile(o.folder.pathOf(e), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	o.file, o.open = file, e
	o.folder.entries = append(o.folder.entries, e)
	if o.spool.options.Sync == SyncEvent {
		return syncPath(o.folder.path)
	}
	return nil
}

// syncSoon flushes the open file, and the name of a new one. It does so by the path: a file that is complete
// before may wait for long until it is sealed, which flushes it, too.
func (o *ownFolder) syncSoon(isNew bool) {
	if o.timer != nil {
		return
	}
	e, path, folder, tracker := o.open, o.folder.pathOf(o.open), o.folder.path, o.spool.tracker
	o.syncing.Add(1)
	o.timer = time.AfterFunc(syncAfter, func() {
		defer o.syncing.Done()
		o.mu.Lock()
		if o.open == e {
			o.timer = nil
		}
		o.mu.Unlock()
		err := syncPath(path)
		if isNew {
			err = errors.Join(err, syncPath(folder))
		}
		// It was sealed, or another process has claimed it.
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			tracker.problem(err)
		}
	})
}

// stopSync leaves the flush to the sealing, which comes at once.
func (o *ownFolder) stopSync() {
	if o.timer != nil && o.timer.Stop() {
		o.syncing.Done()
	}
	o.timer = nil
}

// nextName: a batch in memory has its number, too.
func (o *ownFolder) nextName() string {
	o.number++
	return fmt.Sprintf("%010d", o.number)
}

// end writes the next event to another file.
func (o *ownFolder) end() {
	if o.file != nil {
		_ = o.file.Close()
	}
	o.file, o.open, o.timer = nil, nil, nil
}

func (o *ownFolder) appendToMemory(line []byte) bool {
	inMemory := 0
	for _, e := range o.folder.entries {
		if e.isInMemory {
			inMemory += e.bytes
		}
	}
	if inMemory+len(line) > spoolMemory {
		return false
	}
	last := o.last()
	if last == nil || !last.isInMemory || o.isFull(last) {
		last = &spoolEntry{name: o.nextName(), state: spoolOpen, isInMemory: true}
		o.folder.entries = append(o.folder.entries, last)
	}
	last.texts = append(last.texts, line[digestDigits+1:len(line)-1])
	last.events++
	last.bytes += len(line)
	return true
}

// last is the entry that takes the next event, if there is one.
func (o *ownFolder) last() *spoolEntry {
	if len(o.folder.entries) == 0 {
		return nil
	}
	last := o.folder.entries[len(o.folder.entries)-1]
	if last.state != spoolOpen {
		return nil
	}
	return last
}

// make makes a folder, and another one if the last is no longer there.
func (o *ownFolder) make() error {
	if o.folder.isMade {
		before := o.folder
		o.folder = o.named()
		o.end()
		o.number = 0
		o.onLost(before)
	}
	if err := os.MkdirAll(o.folder.path, 0o700); err != nil {
		return err
	}
	text, err := json.Marshal(o.owner)
	if err != nil {
		return err
	}
	// Without this file, the folder is nobody's after a loss of power.
	file := filepath.Join(o.folder.path, ownerFile)
	if err := writeNew(file, append(text, '\n'), o.folder.isSynced); err != nil {
		return err
	}
	if err := o.folder.syncPath(o.folder.path); err != nil {
		return err
	}
	if err := o.folder.syncPath(o.spool.dir); err != nil {
		return err
	}
	o.folder.isMade = true
	return o.touch()
}

// touch tells other processes that this one lives.
func (o *ownFolder) touch() error {
	o.touched = o.clock.Now()
	if !o.folder.exists() {
		return nil
	}
	if err := o.folder.touch(o.touched); err != nil && o.folder.exists() {
		return err
	}
	return nil
}

// setOwner writes what is known of the owner now.
func (o *ownFolder) setOwner(change func(*spoolOwner)) error {
	change(&o.owner)
	if !o.folder.isMade || !o.folder.exists() {
		return nil
	}
	return o.folder.writeOwner(o.owner, o.clock.Now())
}
