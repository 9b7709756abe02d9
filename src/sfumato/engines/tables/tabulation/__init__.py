"""Tables of counts: small cells suppressed so that no margin reveals one, counts rounded, or noise added."""
