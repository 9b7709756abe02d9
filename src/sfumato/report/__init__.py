"""The report: facts first (a plain record), then one page and one certificate made from nothing else."""
