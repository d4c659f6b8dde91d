package pumice

import "errors"

var errStub = errors.New("pumice: no implementation behind this call")
