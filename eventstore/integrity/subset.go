package integrity

import (
	"errors"
	"fmt"
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"
)

// node names a complete subtree: the at-th of 2^level leaves.
type node struct {
	level int
	at    int64
}

// cover calls known for each leaf of a sorted subset of a tree of size leaves,
// and other for each largest complete subtree without one of them, all from
// left to right. Together they make the root.
func cover(size int64, leaves []int64, known func(i int) (tlog.Hash, error), other func(node) (tlog.Hash, error)) (tlog.Hash, error) {
	next := 0
	var hash func(low, high int64) (tlog.Hash, error)
	hash = func(low, high int64) (tlog.Hash, error) {
		width := high - low
		if next == len(leaves) || leaves[next] >= high {
			if width&(width-1) == 0 {
				level := bits.TrailingZeros64(uint64(width))
				return other(node{level, low >> level})
			}
		} else if width == 1 {
			next++
			return known(next - 1)
		}
		// RFC 6962: the left side has the largest power of two below width.
		middle := low + 1<<(bits.Len64(uint64(width-1))-1)
		left, err := hash(low, middle)
		if err != nil {
			return left, err
		}
		right, err := hash(middle, high)
		if err != nil {
			return right, err
		}
		return tlog.NodeHash(left, right), nil
	}
	return hash(0, size)
}

// errSubset: leaves that are no subset of a tree.
var errSubset = errors.New("integrity: the leaves are not ascending numbers of events of the tree")

// checkSubset makes sure that cover can be called.
func checkSubset(size int64, leaves []int64) error {
	last := int64(-1)
	for _, n := range leaves {
		if n <= last || n >= size {
			return errSubset
		}
		last = n
	}
	if size <= 0 {
		return errSubset
	}
	return nil
}

// subsetProof is the hashes that, with those of leaves, make the root of a
// tree of size leaves, in the order of cover.
func subsetProof(size int64, leaves []int64, tree tlog.HashReader) (proof []sibling, err error) {
	if err := checkSubset(size, leaves); err != nil {
		return nil, err
	}
	var indexes []int64
	_, err = cover(size, leaves,
		func(int) (tlog.Hash, error) { return tlog.Hash{}, nil },
		func(n node) (tlog.Hash, error) {
			proof = append(proof, sibling{Level: n.level, At: n.at})
			indexes = append(indexes, tlog.StoredHashIndex(n.level, n.at))
			return tlog.Hash{}, nil
		})
	if err != nil || len(indexes) == 0 {
		return proof, err
	}
	hashes, err := tree.ReadHashes(indexes)
	if err != nil {
		return nil, err
	}
	for i := range proof {
		proof[i].Hash = hashes[i]
	}
	return proof, nil
}

// subsetRoot is the root that leaves and their proof make; all of the proof
// must be needed, in its order.
func subsetRoot(size int64, leaves []int64, hashes []tlog.Hash, proof []sibling) (tlog.Hash, error) {
	if err := checkSubset(size, leaves); err != nil {
		return tlog.Hash{}, err
	}
	used := 0
	root, err := cover(size, leaves,
		func(i int) (tlog.Hash, error) { return hashes[i], nil },
		func(n node) (tlog.Hash, error) {
			if used == len(proof) || proof[used].Level != n.level || proof[used].At != n.at {
				return tlog.Hash{}, fmt.Errorf("integrity: the proof lacks hash %d of level %d", n.at, n.level)
			}
			used++
			return proof[used-1].Hash, nil
		})
	if err == nil && used != len(proof) {
		err = errors.New("integrity: the proof has hashes that are not needed")
	}
	return root, err
}
