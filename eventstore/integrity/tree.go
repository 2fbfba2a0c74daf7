package integrity

import (
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// The tree is kept in tiles: a tile has up to 256 neighbouring hashes of one
// level of the tree, whose levels in between follow from them. Tiles of level
// 0 hold the leaves, those of level 1 the roots of complete tiles of level 0,
// and so on.
const (
	tileHeight = 8
	// TileWidth is how many hashes a complete tile has.
	TileWidth = 1 << tileHeight
)

// TileID names a tile: the N-th of a level, both from 0.
type TileID struct {
	Level int
	N     int64
}

// Tile is a run of hashes, one after the other.
type Tile struct {
	TileID
	Hashes []byte
}

// Width is how many hashes a tile has.
func (t Tile) Width() int { return len(t.Hashes) / tlog.HashSize }

// Tree grows by leaves. It remembers only its right edge, the incomplete
// tiles, which is all that its root and its growth need. The zero value is the
// empty tree.
type Tree struct {
	size int64
	edge [][]byte // hashes of the incomplete tile of each level
}

// TreeOf is the tree of a size, whose right edge is in tiles that read answers with,
// of the ids that it is asked for those that there are. Whether they are that tree's
// its root tells.
func TreeOf(size int64, read func(ids []TileID) ([]Tile, error)) (Tree, error) {
	t := Tree{size: size}
	var ids []TileID
	for level := 0; size>>(tileHeight*level) > 0; level++ {
		ids = append(ids, TileID{level, size >> (tileHeight * (level + 1))})
		t.edge = append(t.edge, make([]byte, 0, TileWidth*tlog.HashSize))
	}
	tiles, err := read(ids)
	if err != nil {
		return t, err
	}
	for _, tile := range tiles {
		width := int(size>>(tileHeight*tile.Level)) % TileWidth
		if tile.Width() >= width {
			t.edge[tile.Level] = append(t.edge[tile.Level], tile.Hashes[:width*tlog.HashSize]...)
		}
	}
	for level, hashes := range t.edge {
		if width := int(size>>(tileHeight*level)) % TileWidth; len(hashes) != width*tlog.HashSize {
			return t, fmt.Errorf("integrity: tile %d of level %d is missing, the edge of a tree of %d", ids[level].N, level, size)
		}
	}
	return t, nil
}

// Size is the number of leaves.
func (t *Tree) Size() int64 { return t.size }

// Append adds a leaf and returns the tiles that it completed, if any.
func (t *Tree) Append(leaf tlog.Hash) (complete []Tile) {
	t.size++
	hash := leaf
	for level := 0; ; level++ {
		if level == len(t.edge) {
			t.edge = append(t.edge, make([]byte, 0, TileWidth*tlog.HashSize))
		}
		t.edge[level] = append(t.edge[level], hash[:]...)
		if len(t.edge[level]) < TileWidth*tlog.HashSize {
			return complete
		}
		n := t.size>>(tileHeight*(level+1)) - 1
		complete = append(complete, Tile{TileID{level, n}, t.edge[level]})
		hash = rootOfTile(t.edge[level])
		t.edge[level] = make([]byte, 0, TileWidth*tlog.HashSize)
	}
}

// Edge is the incomplete tiles, copied.
func (t *Tree) Edge() (tiles []Tile) {
	for level, hashes := range t.edge {
		if len(hashes) > 0 {
			id := TileID{level, t.size >> (tileHeight * (level + 1))}
			tiles = append(tiles, Tile{id, append([]byte(nil), hashes...)})
		}
	}
	return tiles
}

// Root is the hash of the whole tree.
func (t *Tree) Root() (tlog.Hash, error) {
	return tlog.TreeHash(t.size, Hashes(func(ids []TileID) ([]Tile, error) {
		tiles := make([]Tile, 0, len(ids))
		for _, id := range ids {
			if id.Level >= len(t.edge) || id.N != t.size>>(tileHeight*(id.Level+1)) {
				return nil, fmt.Errorf("integrity: tile %d of level %d is not at the edge of a tree of %d", id.N, id.Level, t.size)
			}
			tiles = append(tiles, Tile{id, t.edge[id.Level]})
		}
		return tiles, nil
	}))
}

// rootOfTile is the hash above a complete tile.
func rootOfTile(hashes []byte) tlog.Hash {
	if len(hashes) == tlog.HashSize {
		return tlog.Hash(hashes)
	}
	half := len(hashes) / 2
	return tlog.NodeHash(rootOfTile(hashes[:half]), rootOfTile(hashes[half:]))
}

// Hashes reads the tree's hashes out of tiles, for tlog's proofs. read gets
// each tile that is needed once and answers with those that there are.
func Hashes(read func(ids []TileID) ([]Tile, error)) tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		var ids []TileID
		found := map[TileID][]byte{}
		for _, index := range indexes {
			t := tlog.TileForIndex(tileHeight, index)
			id := TileID{t.L, t.N}
			if _, asked := found[id]; !asked {
				found[id] = nil
				ids = append(ids, id)
			}
		}
		tiles, err := read(ids)
		if err != nil {
			return nil, err
		}
		for _, tile := range tiles {
			found[tile.TileID] = tile.Hashes
		}
		hashes := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			t := tlog.TileForIndex(tileHeight, index)
			if hashes[i], err = tlog.HashFromTile(t, found[TileID{t.L, t.N}], index); err != nil {
				return nil, fmt.Errorf("integrity: a hash of the tree is missing: %w", err)
			}
		}
		return hashes, nil
	})
}

// Memory is a tree with all of its tiles in memory: about 32 bytes for each
// leaf. The zero value is the empty tree.
type Memory struct {
	tree  Tree
	tiles map[TileID][]byte
}

// Append adds a leaf.
func (m *Memory) Append(leaf tlog.Hash) {
	if m.tiles == nil {
		m.tiles = map[TileID][]byte{}
	}
	for _, tile := range m.tree.Append(leaf) {
		m.tiles[tile.TileID] = tile.Hashes
	}
}

// Size is the number of leaves.
func (m *Memory) Size() int64 { return m.tree.Size() }

// Root is the hash of the whole tree.
func (m *Memory) Root() (tlog.Hash, error) { return m.tree.Root() }

// ReadHashes reads hashes by tlog's storage index.
func (m *Memory) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	edge := m.tree.Edge()
	return Hashes(func(ids []TileID) (tiles []Tile, err error) {
		for _, id := range ids {
			if hashes, ok := m.tiles[id]; ok {
				tiles = append(tiles, Tile{id, hashes})
			}
		}
		return append(tiles, edge...), nil
	}).ReadHashes(indexes)
}
