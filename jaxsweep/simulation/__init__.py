"""Games in batches on all devices: episodes, their scheduler, matches, and runs on disk."""
