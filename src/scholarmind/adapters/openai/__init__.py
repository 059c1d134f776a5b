"""Any server that speaks OpenAI's protocol: chat, streams, typed replies, vectors; what one cannot do is learnt from its own words."""
