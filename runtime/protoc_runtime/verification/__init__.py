"""The checks of a bundle, a module per kind of evidence; `protoc_runtime.verifying` puts them in order."""
