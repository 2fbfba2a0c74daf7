package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// encodeLimit bounds the making of one recording.
const encodeLimit = time.Minute

// Frame is one picture of a recording.
type Frame struct {
	// JPEG is the picture, as Screenshot takes it.
	JPEG []byte
	// At is when it was taken, from the start of the recording.
	At time.Duration
}

// EncodeRecording makes a video (WebM, VP8) of pictures, each of which stands
// until the next one; the last stands until total. Frames are in the order of
// time. It is at most 800 px wide and 844 px high and can be searched. ffmpeg is
// the program to use, tempDir where to work ("": the system's directory for temporary
// files); the work is bounded to a minute and by ctx.
func EncodeRecording(ctx context.Context, ffmpeg, tempDir string, frames []Frame, total time.Duration) (video []byte, err error) {
	if len(frames) == 0 {
		return nil, errors.New("encode a recording: there are no pictures")
	}
	ctx, cancel := context.WithTimeout(ctx, encodeLimit)
	defer cancel()
	dir, err := os.MkdirTemp(tempDir, "understudy-recording-")
	if err != nil {
		return nil, fmt.Errorf("encode a recording: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := writeFrames(dir, frames, total); err != nil {
		return nil, fmt.Errorf("encode a recording: %w", err)
	}
	out := filepath.Join(dir, "recording.webm")
	cmd := exec.CommandContext(ctx, ffmpeg, "-nostdin", "-v", "error", "-y",
		"-f", "concat", "-safe", "0", "-i", filepath.Join(dir, "list.txt"),
		"-vf", "scale=w='min(800,iw)':h='min(844,ih)':force_original_aspect_ratio=decrease:force_divisible_by=2,format=yuv420p",
		"-fps_mode", "vfr", "-enc_time_base", "1/1000",
		"-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-threads", "1", // two threads spin where there are more sessions than cores
		"-crf", "30", "-b:v", "1M", "-g", "8", "-auto-alt-ref", "0",
		"-f", "webm", out)
	cmd.WaitDelay = time.Second
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, fmt.Errorf("encode a recording: %w: %s", err, cut(strings.TrimSpace(complaint.String()), 300))
	}
	video, err = os.ReadFile(out)
	if err != nil {
		return nil, fmt.Errorf("encode a recording: %w", err)
	}
	return video, nil
}

// tick is one frame of 25 a second: no picture stands for less.
const tick = 40 * time.Millisecond

// writeFrames lays the pictures and the list of their durations into dir. The
// video ends with its last frame, so the last picture comes again for a tick at
// the very end.
func writeFrames(dir string, frames []Frame, total time.Duration) error {
	var list strings.Builder
	list.WriteString("ffconcat version 1.0\n")
	for i, f := range frames {
		name := fmt.Sprintf("%05d.jpg", i)
		if err := os.WriteFile(filepath.Join(dir, name), f.JPEG, 0o600); err != nil {
			return err
		}
		end := total
		if i+1 < len(frames) {
			end = frames[i+1].At
		}
		start := f.At
		if i == 0 {
			start = 0 // a film has no empty beginning
		}
		last := i+1 == len(frames)
		if last {
			end -= tick
		}
		fmt.Fprintf(&list, "file %s\nduration %s\n", name, seconds(max(end-start, tick)))
		if last {
			fmt.Fprintf(&list, "file %s\nduration %s\n", name, seconds(tick))
		}
	}
	return os.WriteFile(filepath.Join(dir, "list.txt"), []byte(list.String()), 0o600)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
