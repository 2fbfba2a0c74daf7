package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"understudy/test/gym/ground"
)

// install brings what the sites of both halves need and is not there: packages
// of Debian on the system, the others in folders of the cache.
func install(ctx context.Context, _ options) error {
	var debian []string
	for _, site := range slices.Concat(halves["a"], halves["b"]) {
		debian = append(debian, site.Debian...)
	}
	if err := installDebian(ctx, debian); err != nil {
		return err
	}
	for _, site := range slices.Concat(halves["a"], halves["b"]) {
		for _, spec := range site.NPM {
			if err := installNPM(ctx, spec); err != nil {
				return err
			}
		}
		for _, spec := range site.Unpack {
			if err := unpack(ctx, spec); err != nil {
				return err
			}
		}
		for _, program := range site.Go {
			if err := installGo(ctx, program); err != nil {
				return err
			}
		}
	}
	return nil
}

func installDebian(ctx context.Context, packages []string) error {
	there, _ := exec.CommandContext(ctx, "dpkg-query", append([]string{"-W", "-f", "${Package} ${Status}\n"}, packages...)...).Output() // fails for what is missing
	missing := slices.DeleteFunc(packages, func(name string) bool {
		return strings.Contains("\n"+string(there), "\n"+name+" install ok installed\n")
	})
	if len(missing) == 0 {
		return nil
	}
	fmt.Println("installing", strings.Join(missing, " "))
	// None of their services is to start: the gym starts what it needs itself.
	const refuse = "/usr/sbin/policy-rc.d"
	if f, err := os.OpenFile(refuse, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755); err == nil {
		_, err = f.WriteString("#!/bin/sh\nexit 101\n")
		defer func() { _ = os.Remove(refuse) }()
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	apt := []string{"-qq", "-o", "DPkg::Lock::Timeout=300"}
	if err := quietly(ctx, "", "apt-get", append(apt, "update")...); err != nil {
		return err
	}
	return quietly(ctx, "", "apt-get", slices.Concat(apt, []string{"install", "-y", "--no-install-recommends"}, missing)...)
}

func installNPM(ctx context.Context, spec string) error {
	return once(ground.Folder(spec), func(part string) error {
		fmt.Println("fetching", spec, "from npm")
		args := []string{"install", "--silent", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", part}
		return quietly(ctx, "", "npm", append(args, strings.Fields(spec)...)...)
	})
}

// unpack takes Debian packages apart without installing them: minimal systems
// leave documentation out.
func unpack(ctx context.Context, spec string) error {
	return once(ground.Folder(spec), func(part string) error {
		fmt.Println("fetching", spec, "from Debian")
		if err := os.MkdirAll(part, 0o755); err != nil {
			return err
		}
		const script = `apt-get -qq download "$0" "$@" && for p in ./*.deb; do dpkg-deb -x "$p" . || exit; done && rm ./*.deb`
		return quietly(ctx, part, "sh", append([]string{"-c", script}, strings.Fields(spec)...)...)
	})
}

func installGo(ctx context.Context, g ground.Program) error {
	return once(g.Binary(), func(part string) error {
		fmt.Println("building", g.Module, g.Version)
		dir, err := os.MkdirTemp("", "gym-build-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		files, built := map[string]string{"go.mod": "module gym\n"}, g.Module
		if g.Main != "" {
			files["main.go"], built = g.Main, "."
		}
		if err := ground.Write(dir, files); err != nil {
			return err
		}
		return errors.Join(quietly(ctx, dir, "go", "get", g.Module+"@"+g.Version), quietly(ctx, dir, "go", "build", "-o", part, built))
	})
}

// once makes a file or folder that is there wholly or not at all.
func once(path string, make func(part string) error) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	part := path + ".part"
	if err := errors.Join(os.RemoveAll(part), os.MkdirAll(filepath.Dir(path), 0o755)); err != nil {
		return err
	}
	if err := make(part); err != nil {
		return err
	}
	return os.Rename(part, path)
}

func quietly(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}
