"""Starts real Kubernetes control planes on this machine, for tests and for the demo."""
