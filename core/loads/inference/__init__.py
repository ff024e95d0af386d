"""A language model that answers: the prompt in one pass, then one token after another with a KV cache."""
