"""Two summaries of one run that differ in a value that waited for nobody."""

from told import told

from protoc_runtime.adjudication.verdict import require_settled

before = {"metrics": {"routed": 2, "helped": None}, "pending": {"metrics": ["helped"]}}
after = {"metrics": {"routed": 3, "helped": 1}}
told(lambda: require_settled(before, after))
