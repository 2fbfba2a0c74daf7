package postgres

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is the operating-system user that runs the server.
type account struct {
	uid, gid uint32
	// drop: this process is root and must change to the account, since
	// Postgres refuses to run as root.
	drop bool
}

// accountFor picks the account for the cluster in dir: this process's own, or
// for root the owner of an existing cluster, else "postgres", else "nobody".
func accountFor(dir string) (account, error) {
	uid, gid := os.Geteuid(), os.Getegid()
	owner, exists, err := ownerOf(filepath.Join(dir, versionFile))
	if err != nil {
		return account{}, err
	}
	if uid != 0 {
		if exists && owner.uid != uint32(uid) {
			return account{}, fmt.Errorf("the cluster belongs to user id %d, this process is user id %d: run as that user or chown the directory", owner.uid, uid)
		}
		return account{uid: uint32(uid), gid: uint32(gid)}, nil
	}
	if exists {
		if owner.uid == 0 {
			return account{}, errors.New("the cluster belongs to root, whom Postgres refuses to serve: chown -R it to the user that it was made by")
		}
		return owner, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errU := strconv.ParseUint(u.Uid, 10, 32)
		gid, errG := strconv.ParseUint(u.Gid, 10, 32)
		if errU != nil || errG != nil || uid == 0 {
			continue
		}
		return account{uid: uint32(uid), gid: uint32(gid), drop: true}, nil
	}
	return account{}, errors.New("running as root, and there is no user postgres or nobody to run the server as: create one or run as another user")
}

func ownerOf(path string) (owner account, exists bool, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return account{}, false, nil
	}
	if err != nil {
		return account{}, false, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return account{}, false, fmt.Errorf("%s: this system does not tell its owner", path)
	}
	return account{uid: st.Uid, gid: st.Gid, drop: os.Geteuid() == 0}, true, nil
}

// own makes dir (parents must exist) the account's, closed to all others.
func (a account) own(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if a.drop {
		if err := os.Lchown(dir, int(a.uid), int(a.gid)); err != nil {
			return err
		}
	}
	return os.Chmod(dir, 0o700)
}

// apply makes cmd run as the account, in a process group of its own (so that
// Ctrl-C in a terminal reaches the service only, which then stops the server
// last), with deathSignal when this process dies, on systems that can.
func (a account) apply(cmd *exec.Cmd, deathSignal syscall.Signal) {
	cmd.Dir = "/" // where this process stands may be closed to the account
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	setDeathSignal(cmd.SysProcAttr, deathSignal)
	if a.drop {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
}
