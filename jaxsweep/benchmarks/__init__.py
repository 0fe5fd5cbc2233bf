"""What is measured by `python -m jaxsweep.bench`: kernels, how they are timed, and peers."""
