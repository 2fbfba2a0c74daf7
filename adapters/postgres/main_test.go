package postgres_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"understudy/adapters/postgres"
	"understudy/adapters/postgres/pgtest"
	"understudy/test/patience"
)

// childDir makes this test binary a service that runs a private server in the
// named directory until it is killed.
const childDir = "UNDERSTUDY_PGTEST_CHILD_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		runChild(dir)
		return
	}
	pgtest.Main(m)
}

func runChild(dir string) {
	ctx, cancel := patience.Context(context.Background(), time.Minute)
	defer cancel()
	p, err := postgres.StartPrivate(ctx, postgres.PrivateOptions{DataDir: dir})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println(p.URL())
	<-p.Done()
}
