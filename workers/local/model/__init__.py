"""A small open model on this machine, for users without a key: Qwen2.5-Coder-1.5B-Instruct (Apache-2.0), fetched from the package index
and served by llama.cpp over the OpenAI protocol, as a process of its own."""
