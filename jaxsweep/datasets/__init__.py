"""Data sets of positions with exact labels, for learners and for research in inference.

- `settings`: what a data set depends on; its splits.
- `positions`: labelled positions as arrays, and as the bytes of a shard.
- `games`: positions of a player's games, on all cores.
- `store`: the folder of a data set, so that making it can be stopped and resumed.
- `generation`: makes a data set.
- `reading`: loads one.
- `prompts`: positions as questions to language models.
- `verifier`: how good an answer is.
"""
