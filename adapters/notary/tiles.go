package notary

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/mod/sumdb/tlog"

	"understudy/eventstore/integrity"
)

// schema is the Postgres schema of the tree's hashes. They follow from the
// log: whoever drops it gets it again with the next start.
const schema = "audit_v1"

// A tile of level 0 also has the commit positions of its events, 8 bytes each,
// so that an event's number in the log can be found.
const tables = `
	CREATE SCHEMA IF NOT EXISTS ` + schema + `;
	CREATE TABLE IF NOT EXISTS ` + schema + `.tiles (
		level     smallint NOT NULL,
		n         bigint   NOT NULL,
		hashes    bytea    NOT NULL,
		first     bigint,
		positions bytea,
		PRIMARY KEY (level, n)
	);
	CREATE INDEX IF NOT EXISTS tiles_by_position ON ` + schema + `.tiles (first) WHERE level = 0;`

// prepareLock is the advisory lock under which nodes that start together take
// turns. The number means nothing; it must only stay the same.
const prepareLock = 0x61756474 // "audt"

func prepare(ctx context.Context, pool *pgxpool.Pool) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, prepareLock); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, tables)
		return err
	})
}

// tile is a tile on its way to the table.
type tile struct {
	integrity.Tile
	positions []byte // of level 0
}

const positionBytes = 8

// saveTiles adds tiles and lets those grow that are there with fewer hashes.
// Nothing that is there is overwritten with anything else: same tells that
// what is there fits.
func saveTiles(ctx context.Context, pool *pgxpool.Pool, tiles []tile) (same bool, err error) {
	same = true
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		var batch pgx.Batch
		for _, t := range tiles {
			var first any
			if len(t.positions) > 0 {
				first = int64(binary.BigEndian.Uint64(t.positions))
			}
			// The row as it is after the statement, grown or not.
			batch.Queue(`INSERT INTO `+schema+`.tiles AS t VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT (level, n) DO UPDATE SET
					hashes = CASE WHEN substring(excluded.hashes FOR length(t.hashes)) = t.hashes THEN excluded.hashes ELSE t.hashes END,
					first = CASE WHEN substring(excluded.hashes FOR length(t.hashes)) = t.hashes THEN excluded.first ELSE t.first END,
					positions = CASE WHEN substring(excluded.hashes FOR length(t.hashes)) = t.hashes THEN excluded.positions ELSE t.positions END
				RETURNING substring(hashes FOR length($3)) = $3`, t.Level, t.N, t.Hashes, first, t.positions).
				QueryRow(func(row pgx.Row) error {
					var fits bool
					err := row.Scan(&fits)
					same = same && fits
					return err
				})
		}
		return tx.SendBatch(ctx, &batch).Close()
	})
	if err != nil {
		return false, fmt.Errorf("keep the tree's hashes: %w", err)
	}
	return same, nil
}

// storedTiles reads tiles of level 0 from a number on.
func storedTiles(ctx context.Context, pool *pgxpool.Pool, from int64, limit int) (map[int64]tile, error) {
	rows, err := pool.Query(ctx, `SELECT n, hashes, positions FROM `+schema+`.tiles
		WHERE level = 0 AND n >= $1 AND n < $1 + $2`, from, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[int64]tile{}
	for rows.Next() {
		var t tile
		if err := rows.Scan(&t.N, &t.Hashes, &t.positions); err != nil {
			return nil, err
		}
		out[t.N] = t
	}
	return out, rows.Err()
}

// forgetTiles removes all tiles.
func forgetTiles(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := pool.Exec(ctx, `TRUNCATE `+schema+`.tiles`)
	return err
}

// readTiles answers tlog's questions from the table.
func readTiles(ctx context.Context, pool *pgxpool.Pool) tlog.HashReader {
	return integrity.Hashes(keptTiles(ctx, pool))
}

// keptTiles reads tiles from the table.
func keptTiles(ctx context.Context, pool *pgxpool.Pool) func(ids []integrity.TileID) ([]integrity.Tile, error) {
	return func(ids []integrity.TileID) ([]integrity.Tile, error) {
		levels, numbers := make([]int16, len(ids)), make([]int64, len(ids))
		for i, id := range ids {
			levels[i], numbers[i] = int16(id.Level), id.N
		}
		rows, err := pool.Query(ctx, `SELECT level, n, hashes FROM `+schema+`.tiles
			JOIN unnest($1::smallint[], $2::bigint[]) AS wanted (level, n) USING (level, n)`, levels, numbers)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, func(row pgx.CollectableRow) (t integrity.Tile, err error) {
			var level int16
			err = row.Scan(&level, &t.N, &t.Hashes)
			t.Level = int(level)
			return t, err
		})
	}
}

// indexOf finds the number in the log of the event with a commit position, -1
// when the tree has none there.
func indexOf(ctx context.Context, pool *pgxpool.Pool, position uint64) (int64, error) {
	var n int64
	var positions []byte
	err := pool.QueryRow(ctx, `SELECT n, positions FROM `+schema+`.tiles
		WHERE level = 0 AND first <= $1 ORDER BY first DESC LIMIT 1`, int64(position)).Scan(&n, &positions)
	if errors.Is(err, pgx.ErrNoRows) {
		return -1, nil
	}
	if err != nil {
		return 0, err
	}
	for i := 0; i+positionBytes <= len(positions); i += positionBytes {
		if binary.BigEndian.Uint64(positions[i:]) == position {
			return n*integrity.TileWidth + int64(i/positionBytes), nil
		}
	}
	return -1, nil
}
