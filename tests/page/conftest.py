"""The tests of the page. Those in `e2e` need a browser: `make e2e`."""

collect_ignore = ["e2e"]
