package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// semver is a version as Go modules have it: v1.2.3, v1.2.3-rc.1, and after a tag
// v1.2.3-5-g0123abc.
type semver string

var semverForm = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

// plain is the version in names of files.
func (v semver) plain() string { return strings.TrimPrefix(string(v), "v") }

// debian is the version as dpkg orders it: what comes before a release has a ~, what comes
// after it a +.
func (v semver) debian() string {
	s := regexp.MustCompile(`-(\d+)-g([0-9a-f]+)`).ReplaceAllString(v.plain(), "+$1.g$2")
	return strings.ReplaceAll(strings.Replace(s, "-", "~", 1), "-", ".")
}

// alpine is the version as apk orders it, which knows words of its own alone: _rc before a release, _p after it. What has
// no number of its own (a commit's name) is left out.
func (v semver) alpine() string {
	s, _, _ := strings.Cut(v.plain(), "+")
	release, rest, _ := strings.Cut(s, "-")
	if m := regexp.MustCompile(`^(?:(alpha|beta|rc)\.?(\d*)-)?(\d+)-g[0-9a-f]+$`).FindStringSubmatch(rest); m != nil { // commits after a tag
		if m[1] != "" {
			release += "_" + m[1] + m[2]
		}
		return release + "_p" + m[3]
	}
	if m := regexp.MustCompile(`^(alpha|beta|rc)\.?(\d*)$`).FindStringSubmatch(rest); m != nil {
		return release + "_" + m[1] + m[2]
	}
	if m := regexp.MustCompile(`^(\d{8})\d{6}-[0-9a-f]{12}$`).FindStringSubmatch(rest); m != nil { // Go's name of a commit: by its day
		return release + "_alpha" + m[1]
	}
	if rest != "" {
		return release + "_alpha"
	}
	return release
}

// git runs git with arguments, and returns what it prints.
type git func(args ...string) (string, error)

// gitIn is the git of the checkout at root.
func gitIn(ctx context.Context, root string) git {
	return func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = root
		out, err := cmd.Output()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
			err = fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(exit.Stderr)))
		}
		return strings.TrimSpace(string(out)), err
	}
}

// versionOfTree is the version of the checkout that git knows, and when its commit was made. asked
// is a version that was given, or "".
func versionOfTree(git git, asked string) (semver, time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		var err error
		if text, err = git("log", "-1", "--format=%ct"); err != nil {
			return "", time.Time{}, fmt.Errorf(
				"the time of the release is its commit's, or SOURCE_DATE_EPOCH's: %w",
				err,
			)
		}
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	at := time.Unix(seconds, 0).UTC()
	v := asked
	if v == "" {
		// The tags of releases alone; without any, what Go calls the commit.
		if v, err = git("describe", "--tags", "--match", "v[0-9]*", "--dirty=+dirty"); err != nil {
			hash, err := git("rev-parse", "HEAD")
			if err != nil {
				return "", at, fmt.Errorf("the version comes from git, or from -version: %w", err)
			}
			changed, err := git("status", "--porcelain", "--untracked-files=no")
			if err != nil {
				return "", at, err
			}
			v = fmt.Sprintf("v0.0.0-%s-%s", at.Format("20060102150405"), hash[:12])
			if changed != "" {
				v += "+dirty"
			}
		}
	}
	if !semverForm.MatchString(v) {
		return "", at, fmt.Errorf("%q is no version such as v1.2.3", v)
	}
	return semver(v), at, nil
}
