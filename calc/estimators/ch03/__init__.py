"""Chapter 3: what a workload asks for, in seconds, bytes, rent and waiting."""
