"""Tables of counts: small cells suppressed so that no margin gives one back, counts rounded, or noise added."""
