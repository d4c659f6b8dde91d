package native

// choosesElements says that blocks take elements of arrays of buffers that programs compute.
const choosesElements = false
