"""What a generated protocol package runs on: rows, subjects, rules, ledgers, receipts."""
