// Package brain lets a language model decide what a simulated user does. The
// model is told what the persona perceives (forager.Senses) and answers with one
// act; eyes, hands, time and patience stay those of the persona, and the oracle
// judges as always.
//
// A page is written by strangers, so what it says is told to the model as
// quotation, and all that an answer can be is an act on that page: there is no
// other tool. Secret inputs are known to the model by name only; what a field
// holds that took one is not told.
//
// Servers are the operator's: they are called directly and not through the
// egress policy, which is for what customers name.
package brain
