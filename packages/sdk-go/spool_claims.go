package annals

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

var ownerFolder = regexp.MustCompile(`^\d{8}T\d{9}Z-[0-9a-f]{12}(?:~\d{8}T\d{9}Z-[0-9a-f]{12})?$`)

// claiming takes over the folders of owners that are gone, of the same account alone. It must never send
// from a folder that another process has claimed: the rename decides.
type claiming struct {
	dir string
	// name is the claimant's own.
	name     string
	isSynced bool
	mu       *sync.Mutex
	now      func() time.Time
	self     spoolOwner
	// account waits until the service says it; nil once the client is closed.
	account func() *string
}

// claim returns the claimed folders, the oldest first, and what failed at others.
func (c claiming) claim() ([]*spoolFolder, error) {
	// They are sorted by name.
	names, err := namesIn(c.dir)
	errs := []error{err}
	var claimed []*spoolFolder
	for _, each := range names {
		folder, err := c.claimOne(each)
		errs = append(errs, err)
		if folder != nil {
			claimed = append(claimed, folder)
		}
	}
	return claimed, errors.Join(errs...)
}

// claimOne returns nil if the folder is not to be claimed, or has nothing to send.
func (c claiming) claimOne(name string) (*spoolFolder, error) {
	first, claimant, isClaimed := strings.Cut(name, "~")
	if !isClaimed {
		claimant = first
	}
	path := filepath.Join(c.dir, name)
	if !ownerFolder.MatchString(name) || claimant == c.name || !c.isFree(path) {
		return nil, nil
	}
	owner := readOwner(path)
	// Without a known account, only the API key says whose events they are.
	if owner == nil || !c.isOurs(owner) {
		return nil, nil
	}
	to := first + "~" + c.name
	err := os.Rename(path, filepath.Join(c.dir, to))
	if errors.Is(err, fs.ErrNotExist) {
		// Another process was faster.
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	folder := newFolder(c.dir, to, c.isSynced, c.mu)
	folder.isMade = true
	self := c.self
	if owner.Account != nil {
		self.Account = owner.Account
	}
	// If it fails, another process may claim the folder: it sends the same under the same keys.
	failed := folder.writeOwner(self, c.now())
	if err := folder.load(); err != nil {
		// It is nobody's again, and claimed when the disk works.
		_ = folder.touch(time.Unix(0, 0))
		_ = os.Rename(folder.path, path)
		return nil, errors.Join(failed, err)
	}
	if len(folder.entries) > 0 {
		return folder, failed
	}
	return nil, errors.Join(failed, folder.removeIfEmpty())
}

func (c claiming) isOurs(owner *spoolOwner) bool {
	if isSame(owner.Key, c.self.Key) {
		return true
	}
	return owner.Account != nil && isSame(owner.Account, c.account())
}

// isFree says whether the owner is gone, and what it left is not for a person alone.
func (c claiming) isFree(path string) bool {
	owner := readOwner(path)
	if owner == nil {
		c.removeOld(path)
		return false
	}
	info, err := os.Stat(filepath.Join(path, ownerFile))
	if err != nil || !owner.isGone(info.ModTime(), c.now()) {
		return false
	}
	files, err := namesIn(path)
	if err != nil {
		return false
	}
	isEmpty := true
	for _, file := range files {
		if pendingFile.MatchString(file) {
			return true
		}
		isEmpty = isEmpty && file == ownerFile
	}
	return isEmpty
}

// removeOld deletes a folder that a process was killed in deleting. One that is new may be somebody's.
func (c claiming) removeOld(path string) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() && c.now().Round(0).Sub(info.ModTime()) > untouchedFor {
		_ = os.Remove(path)
	}
}
