"""The console: the fleet in a browser. Pages are made on the server, from the values that every shell shows; htmx keeps them live.

| module | does |
|---|---|
| `pages` | a page in the reader's language and look: templates, words, documents |
| `routing` | errors as pages, and the way to the login |
| `offered` | addresses that log a browser in once |
| `fields` | a form from the contract of a request |
| `graph` | the stages of a job as a drawing |
| `job_view`, `job_live` | a job's page in sections, and the stream that keeps them up to date |
| `tabs` | the pages of a result: parts and files |
| `hints` | what a job waits for, in words |
| `routes` | the pages, a module for each |
| `templates`, `static`, `locale` | HTML, what a browser loads, texts |
"""
