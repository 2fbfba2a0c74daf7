package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"understudy/domain"
	"understudy/domain/session"
	"understudy/eventstore"
	"understudy/eventstore/node"
	"understudy/eventstore/node/engine"
)

// appending is how long each number of writers appends.
const appending = 2 * time.Second

// stepped is an event of the usual size, some 700 bytes.
func stepped(i int) session.Stepped {
	return session.Stepped{
		TestID: "test_01", Attempt: 1, At: domain.At(time.Now()),
		Step: session.Step{
			Index: i, URL: "https://shop.example.com/products/tidepool-mug", Title: "Tidepool Mug",
			Observation: strings.Repeat("a page with a button and many words ", 5),
			Thought:     strings.Repeat("this is what I was looking for ", 5),
			Action:      session.Action{Type: "click"}, Signals: []session.Signal{},
		},
	}
}

// measureEvents measures the event store, without and with the protocol.
func measureEvents(ctx context.Context, b *bench) error {
	data, err := json.Marshal(stepped(0))
	if err != nil {
		return err
	}
	direct, err := measureEngine(ctx, b, data)
	if err != nil {
		return err
	}
	if err := measureAppends(ctx, b, data, direct); err != nil {
		return err
	}
	dir := filepath.Join(b.dir, "node")
	n, err := node.Start(ctx, node.Options{Dir: dir, Socket: filepath.Join(b.dir, "events.sock"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	store, err := eventstore.Open(eventstore.Config{
		URL: n.ConnectionString(), Socket: n.Socket(), Codec: eventstore.NewCodec(session.Catalogue),
	})
	if err != nil {
		return errors.Join(err, n.Close())
	}
	return errors.Join(measurePort(ctx, b, store), store.Close(), n.Close())
}

// measureEngine appends without the protocol; the rates are by the number of
// writers, a second.
func measureEngine(ctx context.Context, b *bench, data []byte) (rates map[int]float64, err error) {
	e, err := engine.Open(engine.Options{Dir: filepath.Join(b.dir, "engine")})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	rates = map[int]float64{}
	for _, writers := range []int{1, 8, 64} {
		n, each, err := appendAll(ctx, writers, func(ctx context.Context, writer, i int) error {
			_, err := e.Append(ctx, engine.Append{
				Stream: fmt.Sprintf("session-%d-%d", writers, writer), Expected: engine.Any,
				Events: []engine.NewEvent{{ID: uuid.New(), Type: "session.stepped", JSON: true, Data: data}},
			})
			return err
		})
		if err != nil {
			return nil, err
		}
		rates[writers] = float64(n) / appending.Seconds()
		b.table.add("event store", fmt.Sprintf("engine, %d writers", writers), perSecond(n, appending), "", "durable appends of one event, "+each.spread())
	}
	return rates, nil
}

func measurePort(ctx context.Context, b *bench, store *eventstore.Store) error {
	for _, writers := range []int{1, 8, 64} {
		n, each, err := appendAll(ctx, writers, func(ctx context.Context, writer, i int) error {
			expected := eventstore.NoStream()
			if i > 0 {
				expected = eventstore.Revision(uint64(i - 1))
			}
			_, err := store.Append(ctx, fmt.Sprintf("session-%d-%d", writers, writer), expected,
				[]eventstore.Pending{{ID: uuid.New(), Event: stepped(i)}})
			return err
		})
		if err != nil {
			return err
		}
		if writers == 1 {
			b.appendP50 = each.at(0.5)
		}
		b.table.add("event store", fmt.Sprintf("port (gRPC), %d writers", writers), perSecond(n, appending), "", "durable appends of one event, "+each.spread())
	}
	if err := measureReading(ctx, b, store); err != nil {
		return err
	}
	return measureTelling(ctx, b, store)
}

// appendAll lets writers append for a while, each one after the other.
func appendAll(ctx context.Context, writers int, one func(ctx context.Context, writer, i int) error) (int, times, error) {
	ctx, cancel := context.WithTimeout(ctx, appending+10*time.Second)
	defer cancel()
	deadline := time.Now().Add(appending)
	var group sync.WaitGroup
	all, failures := make([]times, writers), make([]error, writers)
	for w := range writers {
		group.Go(func() {
			for i := 0; failures[w] == nil; i++ {
				began := time.Now()
				if began.After(deadline) {
					return
				}
				failures[w] = one(ctx, w, i)
				all[w] = append(all[w], time.Since(began))
			}
		})
	}
	group.Wait()
	var each times
	for _, t := range all {
		each = append(each, t...)
	}
	return len(each), each, errors.Join(failures...)
}

// errEnough ends a subscription that has seen what it wanted.
var errEnough = errors.New("enough")

// measureReading reads the whole log as a projector does.
func measureReading(ctx context.Context, b *bench, store *eventstore.Store) error {
	head, err := store.Head(ctx)
	if err != nil {
		return err
	}
	began, events := time.Now(), 0
	err = store.Subscribe(ctx, eventstore.Subscription{Name: "reading", UpTo: &head}, func(_ context.Context, batch eventstore.Batch) error {
		events += len(batch.Events)
		return nil
	})
	if err != nil {
		return err
	}
	b.table.add("event store", "port, reading the log", perSecond(events, time.Since(began)), "", fmt.Sprintf("%d events, decoded", events))
	return nil
}

// measureTelling times the way of an event from the call that appends it to
// one that follows the log.
func measureTelling(ctx context.Context, b *bench, store *eventstore.Store) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	const stream, told = "telling-1", 500
	var sent atomic.Int64
	arrived := make(chan time.Duration, 1)
	following := make(chan error, 1)
	ready := make(chan struct{}, 1)
	go func() {
		following <- store.Subscribe(ctx, eventstore.Subscription{Name: "telling", Prefixes: []string{"telling-"}, FromEnd: true},
			func(_ context.Context, batch eventstore.Batch) error {
				now := time.Now().UnixNano()
				for range batch.Events {
					arrived <- time.Duration(now - sent.Load())
				}
				select {
				case ready <- struct{}{}:
				default:
				}
				return nil
			})
	}()
	<-ready
	var late times
	expected := eventstore.NoStream()
	for i := range told {
		sent.Store(time.Now().UnixNano())
		at, err := store.Append(ctx, stream, expected, []eventstore.Pending{{ID: uuid.New(), Event: stepped(i)}})
		if err != nil {
			return err
		}
		expected = eventstore.Revision(at.Revision)
		select {
		case d := <-arrived:
			late = append(late, d)
		case err := <-following:
			return err
		}
	}
	cancel()
	b.table.add("event store", "port, append to subscriber", late.spread(), "", "one event at a time, from the call")
	return nil
}
