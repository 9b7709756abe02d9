"""From facts to a page: what was published, what an adversary found, what it cost."""
