"""The one place that holds the version; reading it must cost nothing at start-up."""

__version__ = "0.1.0"
