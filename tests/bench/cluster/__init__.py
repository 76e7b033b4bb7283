"""The parts of cluster_bench.py: who competes, for which Pods, and what is measured of them."""
