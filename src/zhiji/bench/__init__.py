"""Measurements that anybody can run on their own data. Not tests: they print figures, they judge nothing."""
