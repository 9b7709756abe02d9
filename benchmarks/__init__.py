"""Speed and quality, measured side by side with what users would pick instead."""
