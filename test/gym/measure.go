package main

import "context"

func measure(ctx context.Context, o options) error { return nil }
