package annals

import (
	"errors"
	"os"
	"strings"
)

func writeNew(path string, data []byte, isSynced bool) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil && isSynced {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// hasParent says whether a batch that it is a part of is there, too.
func hasParent(name string, names map[string]bool) bool {
	for {
		at := strings.LastIndexByte(name, '-')
		if at < 0 {
			return false
		}
		if name = name[:at]; names[name] {
			return true
		}
	}
}
