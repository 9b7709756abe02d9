"""Three engines, one idea: each answers with a frontier. They never import each other."""
