"""Every call to a provider is seen: policy, ledger, client, and the loopback gateway that subjects talk to.

A subject never has a provider's address or credential. It has an address of the gateway, valid for one case; the
gateway applies what the protocol declares, writes each attempt to the ledger before it is sent, and refuses and counts
what is forbidden. `gateway.serve` is the way in for a run; `rows` reads the ledger back as the declared tables.
"""
