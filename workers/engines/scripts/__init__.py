"""What all readers of scripts share: text with lines, and the ledger of operations found in it."""
