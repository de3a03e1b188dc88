"""The demo: stories that span days, a small shop, and a look at what each level of memory holds while they are played."""
