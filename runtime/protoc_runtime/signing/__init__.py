"""Evidence of who and when: signatures (DSSE, OpenSSH) and time-stamp tokens (RFC 3161) over seals and receipts.

They stand in `signatures.jsonl`, beside `seal.jsonl` or in the folder of a run, outside of its manifest: none of them
changes what it speaks of. Without them a seal shows what its author's clock and disk said, and no more.
"""
