"""Strategy `roadmap`: a router, an information filter and a decision maker around an unchanged search. Start at `team.team`."""
