"""Ask: decides whether a conversation needs the corpus, and finds the topics that help."""
