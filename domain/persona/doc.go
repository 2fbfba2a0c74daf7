// Package persona describes simulated users as data: facets that drive the
// mind, the packs of archetypes that ship with Understudy, and sampling.
//
// Everything here is pure: the same seed gives the same personas.
package persona
