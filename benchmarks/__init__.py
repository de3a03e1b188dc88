"""Benchmarks: each figure beside its baseline in the same run, as ratios. Never part of the tests but for a tiny smoke."""
