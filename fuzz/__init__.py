"""Hostile input: every reader under mutated files, for hangs, crashes and errors without a type.

python -m fuzz                     20,000 inputs for each target, seeded mutations of good files
python -m fuzz jsonl schema        some targets only; --inputs changes the number
python -m fuzz.guided jsonl        the same target under atheris, guided by coverage
"""
