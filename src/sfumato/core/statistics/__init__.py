"""Statistics that several engines share: margins of histograms, resampling, shift between samples."""
