"""From a protocol's text to a checked protocol and its generated package."""
