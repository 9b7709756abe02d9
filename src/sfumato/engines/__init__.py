"""Three engines, one idea: each returns a frontier. They never import each other."""
