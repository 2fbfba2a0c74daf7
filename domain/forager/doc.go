// Package forager is the simulated user itself: what is perceived goes in, a
// decision and the thought behind it come out. It is pure and seeded: the same
// facets, task, seed and looks give the same walk, whatever the machine, the
// clock or the persona's name.
//
// A step goes through the same stations every time:
//
//	view     what this persona notices and can read of a look (view.go)
//	felt     what the last act brought, and how it feels (felt.go)
//	reached  whether the thing wanted now is there, by what the persona saw (reached.go)
//	decide   what is in the way, what was begun, what smells of the goal (decide.go, forage.go)
//	carry    the motor act with its time, slips, words and signals (carry.go)
//
// What a control promises is in scent.go, what the words of a label do in label.go, how
// a thing is taken hold of and what belongs to it in thing.go, what is remembered of the
// site in site.go; filling in is a room of its own, forms. Whether the task was really
// done is for the oracle to say, which shares nothing with this package.
package forager
