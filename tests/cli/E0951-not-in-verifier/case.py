"""A resolved protocol with a function that the library does not have."""

from told import told

from protoc_compiler import core, pipeline
from protoc_compiler.emit import verify
from protoc_runtime.record import replace

protocol, _ = pipeline.check("protocol.yaml")
unknown = core.Call(core.NUMBER, "no_such_function", (core.Const(core.NUMBER, 1),), ())
items = tuple(replace(item, expr=unknown) if item.name == "score" else item for item in protocol.items)
told(lambda: verify.render(replace(protocol, items=items)))
