package sites

// Cases lists all faulty variants.
func Cases() []Case { return nil }
